// The words outside attention: norm, feed-forward, convolution, embedding. Lazy; engine thread.
#pragma once

#include <mlx/array.h>

#include <memory>

#include "ops/fast/mlp.h"
#include "ops/layers.h"
#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {

struct MlpParameters {
  NormParameters norm;
  LinearParameters up, down;
  RowsPerCall rows = RowsPerCall::Many;
};

struct ConvParameters {
  Parameter weight;  // [out, kernel, in]
  Parameter bias;    // [out]
  int stride = 1;
  int padding = 0;
};

struct PlainMlp {
  Norm norm;
  Linear up, down;
};

struct PlainConv {
  mx::array weight;  // [out, kernel, in]
  mx::array bias;    // [out]
  int stride, padding;
};

using NormLayer = Forms<Norm, fast::NormLayer>;
using Mlp = Forms<PlainMlp, fast::Mlp>;
using Conv = Forms<PlainConv, fast::Conv>;

NormLayer make_norm_layer(const Runtime& runtime, const NormParameters& layer);
Mlp make_mlp(const Runtime& runtime, const MlpParameters& layer);
Conv make_conv(const Runtime& runtime, const ConvParameters& layer);

mx::array norm(const mx::array& x, const NormLayer& layer);

// x [B, T, C] + down(gelu(up(norm(x)))).
mx::array mlp(const mx::array& x, const Mlp& layer);

// gelu(conv(x) + bias): [B, T, in] → [B, T / stride, out].
mx::array conv_gelu(const mx::array& x, const Conv& layer);

// The same, plus `positions` [T / stride, out].
mx::array conv_gelu_add(const mx::array& x, const Conv& layer, const mx::array& positions);

}  // namespace whinchat::ops
