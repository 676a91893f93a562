// Preloaded, it makes the process's MLX say that it is of another version.
#include <mlx/version.h>

__attribute__((visibility("default"))) const char* mlx::core::version() { return "0.31.1"; }
