// The words outside attention: feed-forward, convolution, embedding, logits. Lazy; engine thread.
#pragma once

#include <mlx/array.h>

#include "ops/layers.h"

namespace whinchat::ops {

struct Mlp {
  Norm norm;
  Linear up, down;
};

// x [B, T, C] + down(gelu(up(norm(x)))).
mx::array mlp(const mx::array& x, const Mlp& layer);

// gelu(conv(x) + bias): [B, T, in] → [B, T / stride, out].
mx::array conv_gelu(const mx::array& x, const Conv& layer);

// embedding[tokens] + positions[offset : offset + T]: tokens [B, T] → [B, T, C].
mx::array embed(const mx::array& tokens, const mx::array& embedding, const mx::array& positions,
                int offset);

// norm(x) · embeddingᵀ: [B, T, C] → [B, T, V].
mx::array norm_logits(const mx::array& x, const Norm& norm, const mx::array& embedding);

}  // namespace whinchat::ops
