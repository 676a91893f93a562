// A tensor of a file as the parameter that layers are made of.
#pragma once

#include "ops/parameter.h"
#include "weights/tensor.h"

namespace whinchat::weights {

// Shares the tensor's bytes, or owns its computed rows. A placeholder becomes one too. Throws
// Error{Unsupported} for a dimension that MLX cannot hold.
ops::Parameter to_parameter(const Tensor& tensor);

}  // namespace whinchat::weights
