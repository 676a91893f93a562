# The target whinchat_mlx: MLX from its unpacked wheel, with OpenBLAS ahead of it.
#
# MLX's CPU wheel carries the reference BLAS. OpenBLAS stands first in the link order, so that
# libmlx's own calls of cblas_sgemm resolve there (Blas.* in tests/parity proves it by address).

set(WHINCHAT_MLX cpu CACHE STRING "The wheel of MLX: cpu, cuda-13 or metal")
set(MLX_ROOT ${WHINCHAT_CACHE}/mlx-${WHINCHAT_MLX}-0.32.4 CACHE PATH "MLX's unpacked wheel")
if(WHINCHAT_MLX STREQUAL cuda-13)
  # This wheel's own configuration asks for CUDA's toolkit and cuDNN, which only kernels of one's own
  # need. What libmlx itself needs of NVIDIA's is found where the program runs.
  set(MLX_INCLUDE_DIRS ${MLX_ROOT}/mlx/include)
  set(MLX_LIBRARY_DIRS ${MLX_ROOT}/mlx/lib)
  find_library(MLX_LIBRARY mlx PATHS ${MLX_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
  add_library(mlx SHARED IMPORTED)
  set_target_properties(mlx PROPERTIES IMPORTED_LOCATION ${MLX_LIBRARY})
  target_link_options(mlx INTERFACE -Wl,--allow-shlib-undefined)
  # The machine that builds may have no GPU, and then no test program starts on it.
  set(CMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE PRE_TEST)
else()
  set(MLX_DIR ${MLX_ROOT}/mlx/share/cmake/MLX)
  find_package(MLX 0.32.4 EXACT CONFIG REQUIRED)
endif()

# Debian's OpenMP variant: the pthread one has the same bits, and a second thread pool.
find_library(OPENBLAS_LIBRARY NAMES libopenblas.so.0
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH REQUIRED)
get_filename_component(OPENBLAS_FOLDER ${OPENBLAS_LIBRARY} DIRECTORY)

add_library(whinchat_mlx INTERFACE)
target_include_directories(whinchat_mlx SYSTEM INTERFACE ${MLX_INCLUDE_DIRS})
target_link_libraries(whinchat_mlx INTERFACE
  -Wl,--no-as-needed ${OPENBLAS_LIBRARY} mlx -Wl,--as-needed)
list(APPEND CMAKE_BUILD_RPATH ${OPENBLAS_FOLDER} ${MLX_LIBRARY_DIRS})
