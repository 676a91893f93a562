// What a thread needs before it builds or evaluates a graph, and what MLX this is.
#pragma once

#include <string>

namespace whinchat::ops {

// Gives the calling thread the CPU stream on which every model of the process runs. Once a process.
void begin_engine_thread();

std::string mlx_version();

}  // namespace whinchat::ops
