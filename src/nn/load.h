// Layers from a checkpoint, by scope: load_linear(source, "decoder.blocks.0.mlp1", …).
// What is missing or misshapen is reported by WeightMap::audit. Engine thread.
#pragma once

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "ops/layers.h"
#include "weights/weight_map.h"

namespace whinchat::nn {

// Where layers come from, and the float type that they are made in.
struct Source {
  weights::WeightMap& weights;
  mlx::core::Dtype dtype;
};

mlx::core::array load_array(Source source, const std::string& name,
                            std::initializer_list<int64_t> shape);
ops::Linear load_linear(Source source, const std::string& scope, int in, int out);
ops::Linear load_linear_without_bias(Source source, const std::string& scope, int in, int out);
ops::Norm load_norm(Source source, const std::string& scope, int width);

}  // namespace whinchat::nn
