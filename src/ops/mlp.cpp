#include "ops/mlp.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include "ops/layers.h"
#include "ops/linear.h"

namespace whinchat::ops {

mx::array mlp(const mx::array& x, const Mlp& layer) {
  return mx::add(x, apply(layer.down, gelu(apply(layer.up, apply(layer.norm, x)))));
}

mx::array conv_gelu(const mx::array& x, const Conv& layer) {
  return gelu(mx::add(mx::conv1d(x, layer.weight, layer.stride, layer.padding), layer.bias));
}

mx::array embed(const mx::array& tokens, const mx::array& embedding, const mx::array& positions,
                int offset) {
  const int length = tokens.shape(1);
  const mx::array rows = mx::slice(positions, {offset, 0}, {offset + length, positions.shape(1)});
  return mx::add(mx::take(embedding, tokens, 0), rows);
}

mx::array norm_logits(const mx::array& x, const Norm& norm, const mx::array& embedding) {
  return mx::matmul(apply(norm, x), mx::transpose(embedding));
}

}  // namespace whinchat::ops
