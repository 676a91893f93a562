// The parameters that the fused words take, as arrays of one float type.
#pragma once

#include <mlx/array.h>

#include <optional>

namespace whinchat::ops {

namespace mx = mlx::core;

struct Linear {
  mx::array weight_t;             // [in, out], a transposed view of the checkpoint's [out, in]
  std::optional<mx::array> bias;  // [out]
};

struct Norm {
  mx::array weight;  // [C]
  mx::array bias;    // [C]
  float eps = 1e-5F;
};

struct Conv {
  mx::array weight;  // [out, kernel, in]
  mx::array bias;    // [out]
  int stride = 1;
  int padding = 0;
};

}  // namespace whinchat::ops
