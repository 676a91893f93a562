#include "nn/load.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "ops/layers.h"
#include "weights/array.h"

namespace whinchat::nn {

namespace mx = mlx::core;

mx::array load_array(Source source, const std::string& name, std::initializer_list<int64_t> shape) {
  return weights::to_array(source.weights.take(name, shape), source.dtype);
}

ops::Linear load_linear_without_bias(Source source, const std::string& scope, int in, int out) {
  return {mx::transpose(load_array(source, scope + ".weight", {out, in})), std::nullopt};
}

ops::Linear load_linear(Source source, const std::string& scope, int in, int out) {
  ops::Linear layer = load_linear_without_bias(source, scope, in, out);
  layer.bias = load_array(source, scope + ".bias", {out});
  return layer;
}

ops::Norm load_norm(Source source, const std::string& scope, int width) {
  return {load_array(source, scope + ".weight", {width}),
          load_array(source, scope + ".bias", {width})};
}

}  // namespace whinchat::nn
