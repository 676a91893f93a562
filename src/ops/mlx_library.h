// Which MLX this process runs, which need not be the one that whinchat was built for: a process
// that had loaded another libmlx keeps that one. Any thread.
#pragma once

#include <string>

namespace whinchat::ops {

std::string mlx_version();

// Throws Error{Unsupported} that names both versions and the file, where they differ. Calls nothing
// else of MLX, so it comes before all that does.
void require_built_mlx();

}  // namespace whinchat::ops
