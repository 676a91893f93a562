# The target whinchat_onednn: oneDNN from its unpacked wheels (GNU OpenMP, which the kernels use too).

option(WHINCHAT_ONEDNN "Multiply in bf16 by oneDNN where the processor can" ON)
if(WHINCHAT_ONEDNN)
  set(ONEDNN_ROOT ${WHINCHAT_CACHE}/onednn-3.2 CACHE PATH "The unpacked oneDNN wheels")
  find_path(ONEDNN_INCLUDE_DIR NAMES oneapi/dnnl/dnnl.hpp
    PATHS ${ONEDNN_ROOT}/onednn_devel_cpu_gomp-2023.2.0.data/data/include NO_DEFAULT_PATH REQUIRED)
  find_library(ONEDNN_LIBRARY NAMES libdnnl.so.3
    PATHS ${ONEDNN_ROOT}/onednn_cpu_gomp-2023.2.0.data/data/lib NO_DEFAULT_PATH REQUIRED)
  get_filename_component(ONEDNN_FOLDER ${ONEDNN_LIBRARY} DIRECTORY)
  add_library(whinchat_onednn INTERFACE)
  target_include_directories(whinchat_onednn SYSTEM INTERFACE ${ONEDNN_INCLUDE_DIR})
  target_compile_definitions(whinchat_onednn INTERFACE WHINCHAT_ONEDNN)
  target_link_libraries(whinchat_onednn INTERFACE ${ONEDNN_LIBRARY})
  list(APPEND CMAKE_BUILD_RPATH ${ONEDNN_FOLDER})
endif()
