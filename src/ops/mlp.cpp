#include "ops/mlp.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include "ops/fast/mlp.h"
#include "ops/layers.h"
#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {

NormLayer make_norm_layer(const Runtime& runtime, const NormParameters& layer) {
  if (runtime.cpu) return fast::make_norm_layer(runtime.cpu, layer);
  return make_norm(layer, runtime.dtype);
}

Mlp make_mlp(const Runtime& runtime, const MlpParameters& layer) {
  if (runtime.cpu) return fast::make_mlp(runtime.cpu, layer);
  return PlainMlp{make_norm(layer.norm, runtime.dtype), make_linear(layer.up, runtime.dtype),
                  make_linear(layer.down, runtime.dtype)};
}

Conv make_conv(const Runtime& runtime, const ConvParameters& layer) {
  if (runtime.cpu) return fast::make_conv(runtime.cpu, layer);
  return PlainConv{to_array(layer.weight, runtime.dtype), to_array(layer.bias, runtime.dtype),
                   layer.stride, layer.padding};
}

mx::array norm(const mx::array& x, const NormLayer& layer) {
  if (const auto form = packed(layer)) return fast::norm(x, form);
  return apply(std::get<Norm>(layer), x);
}

mx::array mlp(const mx::array& x, const Mlp& layer) {
  if (const auto form = packed(layer)) return fast::mlp(x, form);
  const auto& plain = std::get<PlainMlp>(layer);
  return mx::add(x, apply(plain.down, gelu(apply(plain.up, apply(plain.norm, x)))));
}

mx::array conv_gelu(const mx::array& x, const Conv& layer) {
  if (const auto form = packed(layer)) return fast::conv_gelu(x, form, nullptr);
  const auto& plain = std::get<PlainConv>(layer);
  return gelu(mx::add(mx::conv1d(x, plain.weight, plain.stride, plain.padding), plain.bias));
}

mx::array conv_gelu_add(const mx::array& x, const Conv& layer, const mx::array& positions) {
  if (const auto form = packed(layer)) return fast::conv_gelu(x, form, &positions);
  return mx::add(conv_gelu(x, layer), positions);
}

}  // namespace whinchat::ops
