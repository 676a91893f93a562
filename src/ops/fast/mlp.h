// Norm, feed-forward and convolution on the kernels of a CPU: the packed forms of ops/mlp.h.
#pragma once

#include <mlx/array.h>

#include <memory>

#include "ops/fast/layers.h"
#include "ops/parameter.h"

namespace whinchat::ops {

struct MlpParameters;
struct ConvParameters;

namespace fast {

struct NormLayer : Layer {
  Norm norm;
};

struct Mlp : Layer {
  Norm norm;
  Linear up, down;
};

struct Conv : Layer {
  Linear frames;  // [out, kernel · in]: a convolution is a product with overlapping rows
  int in, kernel, stride, padding;
};

std::shared_ptr<const NormLayer> make_norm_layer(std::shared_ptr<Cpu> cpu,
                                                 const NormParameters& layer);
std::shared_ptr<const Mlp> make_mlp(std::shared_ptr<Cpu> cpu, const MlpParameters& layer);
std::shared_ptr<const Conv> make_conv(std::shared_ptr<Cpu> cpu, const ConvParameters& layer);

mx::array norm(const mx::array& x, const std::shared_ptr<const NormLayer>& layer);
mx::array mlp(const mx::array& x, const std::shared_ptr<const Mlp>& layer);
// `positions` may be null.
mx::array conv_gelu(const mx::array& x, const std::shared_ptr<const Conv>& layer,
                    const mx::array* positions);

}  // namespace fast
}  // namespace whinchat::ops
