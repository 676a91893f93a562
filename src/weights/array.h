// A tensor of a file as an MLX array: aligned, of the type that the model computes in.
#pragma once

#include <mlx/array.h>
#include <mlx/utils.h>

#include "weights/tensor.h"

namespace whinchat::weights {

// Copies the bytes; another type is a lazy conversion on `stream`, by MLX's own astype, so that it
// equals the oracle's. A placeholder becomes a lazy zero: no memory until it is evaluated.
// Throws Error{Unsupported} for a dimension that MLX cannot hold.
mlx::core::array to_array(const Tensor& tensor, mlx::core::Dtype dtype,
                          mlx::core::StreamOrDevice stream = {});

}  // namespace whinchat::weights
