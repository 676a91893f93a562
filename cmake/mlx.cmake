# The target whinchat_mlx: MLX from its unpacked wheel, with OpenBLAS ahead of it.
#
# MLX's CPU wheel carries the reference BLAS. OpenBLAS stands first in the link order, so that
# libmlx's own calls of cblas_sgemm resolve there (Blas.* in tests/parity proves it by address).

set(MLX_ROOT ${WHINCHAT_CACHE}/mlx-cpu-0.32.4 CACHE PATH "The unpacked mlx-cpu wheel")
set(MLX_DIR ${MLX_ROOT}/mlx/share/cmake/MLX)
find_package(MLX 0.32.4 EXACT CONFIG REQUIRED)

# Debian's OpenMP variant: the pthread one has the same bits, and a second thread pool.
find_library(OPENBLAS_LIBRARY NAMES libopenblas.so.0
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp NO_DEFAULT_PATH REQUIRED)
get_filename_component(OPENBLAS_FOLDER ${OPENBLAS_LIBRARY} DIRECTORY)

add_library(whinchat_mlx INTERFACE)
target_include_directories(whinchat_mlx SYSTEM INTERFACE ${MLX_INCLUDE_DIRS})
target_link_libraries(whinchat_mlx INTERFACE
  -Wl,--no-as-needed ${OPENBLAS_LIBRARY} mlx -Wl,--as-needed)
list(APPEND CMAKE_BUILD_RPATH ${OPENBLAS_FOLDER} ${MLX_LIBRARY_DIRS})
