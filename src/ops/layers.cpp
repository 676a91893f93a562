#include "ops/layers.h"

#include <mlx/array.h>
#include <mlx/compile.h>
#include <mlx/device.h>
#include <mlx/dtype.h>
#include <mlx/fast.h>
#include <mlx/ops.h>

#include <numbers>
#include <optional>
#include <vector>

#include "base/mutation.h"
#include "ops/parameter.h"

namespace whinchat::ops {
namespace {

std::vector<mx::array> plain_gelu(const std::vector<mx::array>& inputs) {
  const mx::array& x = inputs[0];
  // A C++ double would turn an f16 graph into an f32 one.
  const auto scalar = [&](float value) { return mx::array(value, x.dtype()); };
  if (base::mutable_constant("gelu.sigmoid_form", 0) != 0) {
    return {mx::multiply(x, mx::sigmoid(mx::multiply(x, scalar(1.702F))))};
  }
  const mx::array erf = mx::erf(mx::divide(x, scalar(std::numbers::sqrt2_v<float>)));
  return {mx::divide(mx::multiply(x, mx::add(scalar(1.0F), erf)), scalar(2.0F))};
}

}  // namespace

Linear make_linear(const LinearParameters& parameters, mx::Dtype dtype) {
  Linear layer{mx::transpose(to_array(parameters.weight, dtype)), std::nullopt};
  if (parameters.bias) layer.bias = to_array(*parameters.bias, dtype);
  return layer;
}

Norm make_norm(const NormParameters& parameters, mx::Dtype dtype) {
  return {to_array(parameters.weight, dtype), to_array(parameters.bias, dtype)};
}

mx::array apply(const Linear& layer, const mx::array& x) {
  if (layer.bias) return mx::addmm(*layer.bias, x, layer.weight_t);
  return mx::matmul(x, layer.weight_t);
}

mx::array apply(const Norm& layer, const mx::array& x) {
  const auto eps = static_cast<float>(base::mutable_constant("norm.eps", layer.eps));
  return mx::fast::layer_norm(x, layer.weight, layer.bias, eps);
}

mx::array gelu(const mx::array& x) {
  if (mx::default_device() == mx::Device::cpu) return plain_gelu({x})[0];
  return mx::compile(plain_gelu, /*shapeless=*/true)({x})[0];
}

}  // namespace whinchat::ops
