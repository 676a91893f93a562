// A tensor of a file as the parameter that layers are made of, and in another type.
#pragma once

#include <mlx/array.h>

#include "ops/parameter.h"
#include "weights/tensor.h"

namespace whinchat::weights {

// Shares the tensor's bytes, or owns its computed rows. A placeholder becomes one too. Throws
// Error{Unsupported} for a dimension that MLX cannot hold.
ops::Parameter to_parameter(const Tensor& tensor);

// Evaluates the array, of a type that DType has, and shares its memory.
Tensor to_tensor(const mlx::core::array& array);

// The elements in `dtype`, rounded to nearest, on the CPU; the bytes themselves where they have it.
Tensor converted(const Tensor& tensor, DType dtype);

}  // namespace whinchat::weights
