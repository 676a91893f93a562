// A checkpoint's parameters by scope: load_linear(source, "decoder.blocks.0.mlp1", …).
// What is missing or misshapen is reported by WeightMap::audit. Engine thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "ops/parameter.h"
#include "ops/runtime.h"
#include "weights/weight_map.h"

namespace whinchat::nn {

// Where parameters come from, and where the layers made of them will run.
struct Source {
  weights::WeightMap& weights;
  const ops::Runtime& runtime;
};

ops::Parameter load_parameter(Source source, const std::string& name,
                              std::initializer_list<int64_t> shape);
ops::LinearParameters load_linear(Source source, const std::string& scope, int in, int out);
ops::LinearParameters load_linear_without_bias(Source source, const std::string& scope, int in,
                                               int out);
ops::NormParameters load_norm(Source source, const std::string& scope, int width);

}  // namespace whinchat::nn
