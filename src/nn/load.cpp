#include "nn/load.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "ops/parameter.h"
#include "weights/array.h"

namespace whinchat::nn {

ops::Parameter load_parameter(Source source, const std::string& name,
                              std::initializer_list<int64_t> shape) {
  return weights::to_parameter(source.weights.take(name, shape));
}

ops::LinearParameters load_linear_without_bias(Source source, const std::string& scope, int in,
                                               int out) {
  return {load_parameter(source, scope + ".weight", {out, in}), std::nullopt};
}

ops::LinearParameters load_linear(Source source, const std::string& scope, int in, int out) {
  ops::LinearParameters layer = load_linear_without_bias(source, scope, in, out);
  layer.bias = load_parameter(source, scope + ".bias", {out});
  return layer;
}

ops::NormParameters load_norm(Source source, const std::string& scope, int width) {
  return {load_parameter(source, scope + ".weight", {width}),
          load_parameter(source, scope + ".bias", {width})};
}

}  // namespace whinchat::nn
