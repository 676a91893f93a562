#include "ops/attention.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/mutation.h"
#include "ops/layers.h"
#include "ops/linear.h"

namespace whinchat::ops {
namespace {

// [B, S, C] → [B, S, H, C / H].
mx::array split_heads(const mx::array& x, int heads) {
  if (base::mutable_constant("attention.head_order", 0) != 0) {
    return mx::swapaxes(mx::reshape(x, {x.shape(0), x.shape(1), x.shape(2) / heads, heads}), 2, 3);
  }
  return mx::reshape(x, {x.shape(0), x.shape(1), heads, x.shape(2) / heads});
}

}  // namespace

Qkv norm_qkv(const mx::array& x, const Norm& norm, const AttentionLayer& layer) {
  const mx::array normed = apply(norm, x);
  return {apply(layer.query, normed), {apply(layer.key, normed), apply(layer.value, normed)}};
}

mx::array norm_query(const mx::array& x, const Norm& norm, const AttentionLayer& layer) {
  return apply(layer.query, apply(norm, x));
}

std::vector<KeyValue> cross_kv(const mx::array& features,
                               std::span<const AttentionLayer* const> layers) {
  std::vector<KeyValue> result;
  result.reserve(layers.size());
  for (const AttentionLayer* layer : layers) {
    result.push_back({apply(layer->key, features), apply(layer->value, features)});
  }
  return result;
}

const KeyValue& append(std::optional<KeyValue>& past, KeyValue fresh) {
  if (past) {
    fresh = {mx::concatenate({past->key, fresh.key}, 1),
             mx::concatenate({past->value, fresh.value}, 1)};
  }
  return past.emplace(std::move(fresh));
}

Attended attend(const mx::array& query, const KeyValue& kv, int heads, const mx::array* mask) {
  const int length = query.shape(1);
  const int width = query.shape(2);
  const double exponent = base::mutable_constant("attention.scale_exponent", -0.25);
  const mx::array scale(static_cast<float>(std::pow(width / heads, exponent)), query.dtype());
  const mx::array q = mx::multiply(mx::transpose(split_heads(query, heads), {0, 2, 1, 3}), scale);
  const mx::array k = mx::multiply(mx::transpose(split_heads(kv.key, heads), {0, 2, 3, 1}), scale);
  const mx::array v = mx::transpose(split_heads(kv.value, heads), {0, 2, 1, 3});

  mx::array qk = mx::matmul(q, k);
  if (mask != nullptr) qk = mx::add(qk, mx::slice(*mask, {0, 0}, {length, length}));
  const mx::array weights = mx::softmax(qk, -1, /*precise=*/true);
  const mx::array out = mx::transpose(mx::matmul(weights, v), {0, 2, 1, 3});
  return {mx::reshape(out, {query.shape(0), length, width}), qk};
}

mx::array project_add(const mx::array& attended, const Linear& out, const mx::array& residual) {
  return mx::add(residual, apply(out, attended));
}

}  // namespace whinchat::ops
