// Tensors of a checkpoint on their way into a form's own layout.
#pragma once

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "kernels/product.h"

namespace whinchat::ops {

namespace mx = mlx::core;

// How many rows a layer mostly meets: an encoder's many, or a row a beam of a decoder's step.
using kernels::RowsPerCall;

struct Parameter {
  const std::byte* data = nullptr;  // row-major, on any address; null: it stands for a missing one
  mx::Dtype dtype = mx::float32;
  mx::Shape shape;
  std::shared_ptr<const void> owner;  // keeps `data` there

  size_t size() const;  // elements
};

constexpr float kNormEps = 1e-5F;  // of every norm, in mlx.nn and here

struct NormParameters {
  Parameter weight, bias;  // [C]
};

struct LinearParameters {
  Parameter weight;               // [out, in]
  std::optional<Parameter> bias;  // [out]
};

// A copy in `dtype`; lazy zeros for a missing one. Engine thread.
mx::array to_array(const Parameter& parameter, mx::Dtype dtype);

}  // namespace whinchat::ops
