// The plain layers that the fused words are made of: mlx.nn's Linear, LayerNorm and gelu.
#pragma once

#include <mlx/array.h>

#include "ops/layers.h"

namespace whinchat::ops {

mx::array apply(const Linear& layer, const mx::array& x);
mx::array apply(const Norm& layer, const mx::array& x);

// x * (1 + erf(x / √2)) / 2 as plain operations, which on a CPU equal the oracle's compiled graph
// bit for bit (Gelu.CompiledEqualsPlain checks it on the machine at hand).
mx::array gelu(const mx::array& x);

}  // namespace whinchat::ops
