#include "ops/attention.h"

#include <mlx/array.h>
#include <mlx/fast.h>
#include <mlx/ops.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mutation.h"
#include "ops/fast/attention.h"
#include "ops/key_value.h"
#include "ops/layers.h"
#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {
namespace {

// The oracle's mask: the lowest finite f32 above the diagonal, −∞ once cast to f16.
mx::array causal_mask(int length, mx::Dtype dtype) {
  const mx::array positions = mx::arange(length);
  const mx::array later = mx::less(mx::reshape(positions, {length, 1}), positions);
  const mx::array lowest(std::numeric_limits<float>::lowest());
  return mx::astype(mx::multiply(mx::astype(later, mx::float32), lowest), dtype);
}

// [B, S, C] → [B, S, H, C / H].
mx::array split_heads(const mx::array& x, int heads) {
  if (base::mutable_constant("attention.head_order", 0) != 0) {
    return mx::swapaxes(mx::reshape(x, {x.shape(0), x.shape(1), x.shape(2) / heads, heads}), 2, 3);
  }
  return mx::reshape(x, {x.shape(0), x.shape(1), heads, x.shape(2) / heads});
}

mx::array heads_first(const mx::array& x, int heads) {
  return mx::transpose(split_heads(x, heads), {0, 2, 1, 3});
}

// mlx-whisper's order of operations. `mask`, if not null, is added to the scores: [N, N] with
// N ≥ T, of which [:T, :T] is used.
Attended plain_attend(const mx::array& query, const KeyValue& kv, int heads,
                      const mx::array* mask) {
  const int length = query.shape(1);
  const int width = query.shape(2);
  const double exponent = base::mutable_constant("attention.scale_exponent", -0.25);
  const mx::array scale(static_cast<float>(std::pow(width / heads, exponent)), query.dtype());
  const mx::array q = mx::multiply(heads_first(query, heads), scale);
  const mx::array k = mx::multiply(mx::transpose(split_heads(kv.key, heads), {0, 2, 3, 1}), scale);
  const mx::array v = heads_first(kv.value, heads);

  mx::array qk = mx::matmul(q, k);
  if (mask != nullptr) qk = mx::add(qk, mx::slice(*mask, {0, 0}, {length, length}));
  const mx::array weights = mx::softmax(qk, -1, /*precise=*/true);
  const mx::array out = mx::transpose(mx::matmul(weights, v), {0, 2, 1, 3});
  return {mx::reshape(out, {query.shape(0), length, width}), qk};
}

// The same by MLX's own kernel, without scores. A causal one lets the last query see all keys.
mx::array fused_attend(const mx::array& query, const KeyValue& kv, int heads, bool causal) {
  const int width = query.shape(2);
  const auto scale = static_cast<float>(std::pow(width / heads, -0.5));
  const mx::array out = mx::fast::scaled_dot_product_attention(
      heads_first(query, heads), heads_first(kv.key, heads), heads_first(kv.value, heads), scale,
      causal ? "causal" : "");
  return mx::reshape(mx::transpose(out, {0, 2, 1, 3}), query.shape());
}

std::vector<Linear> make_qkv(const Runtime& runtime, const SelfAttentionParameters& layer) {
  std::vector<Linear> qkv;
  for (const LinearParameters* part : {&layer.query, &layer.key, &layer.value}) {
    qkv.push_back(make_linear(*part, runtime.dtype));
  }
  if (!runtime.fused) return qkv;
  std::vector<mx::array> weights;  // [out, in], as the checkpoint lays them out
  std::vector<mx::array> biases;
  for (const Linear& part : qkv) {
    weights.push_back(mx::transpose(part.weight_t));
    biases.push_back(part.bias.value_or(mx::zeros({part.weight_t.shape(1)}, runtime.dtype)));
  }
  return {{mx::transpose(mx::concatenate(weights, 0)), mx::concatenate(biases, 0)}};
}

mx::array plain_project_add(const mx::array& attended, const Linear& out,
                            const mx::array& residual) {
  return mx::add(residual, apply(out, attended));
}

}  // namespace

mx::array take_rows(const mx::array& x, std::span<const int> rows, int axis) {
  std::vector<mx::array> taken;
  taken.reserve(rows.size());
  for (const int row : rows) {
    mx::Shape begin(x.ndim(), 0);
    mx::Shape end = x.shape();
    begin[static_cast<size_t>(axis)] = row;
    end[static_cast<size_t>(axis)] = row + 1;
    taken.push_back(mx::slice(x, begin, end));
  }
  return mx::concatenate(taken, axis);
}

SelfAttention make_self_attention(const Runtime& runtime, const SelfAttentionParameters& layer) {
  if (runtime.cpu) return fast::make_self_attention(runtime.cpu, layer);
  std::optional<mx::array> mask;
  if (layer.context > 0) mask = causal_mask(layer.context, runtime.dtype);
  return PlainSelfAttention{make_norm(layer.norm, runtime.dtype),
                            make_qkv(runtime, layer),
                            make_linear(layer.out, runtime.dtype),
                            layer.heads,
                            std::move(mask),
                            runtime.fused};
}

CrossAttention make_cross_attention(const Runtime& runtime, const CrossAttentionParameters& layer) {
  if (runtime.cpu) return fast::make_cross_attention(runtime.cpu, layer);
  return PlainCrossAttention{make_norm(layer.norm, runtime.dtype),
                             make_linear(layer.query, runtime.dtype),
                             make_linear(layer.out, runtime.dtype), layer.heads, runtime.fused};
}

CrossKeyValue make_cross_key_value(const Runtime& runtime,
                                   std::span<const KeyValueParameters> layers) {
  if (runtime.cpu) return fast::make_cross_key_value(runtime.cpu, layers);
  PlainCrossKeyValue plain;
  for (const KeyValueParameters& layer : layers) {
    plain.layers.push_back(
        {make_linear(layer.key, runtime.dtype), make_linear(layer.value, runtime.dtype)});
  }
  return plain;
}

Qkv norm_qkv(const mx::array& x, const SelfAttention& layer) {
  if (const auto form = packed(layer)) return fast::norm_qkv(x, form);
  const auto& plain = std::get<PlainSelfAttention>(layer);
  const mx::array normed = apply(plain.norm, x);
  std::vector<mx::array> parts;
  if (plain.fused) {
    parts = mx::split(apply(plain.qkv[0], normed), 3, -1);
  } else {
    for (const Linear& part : plain.qkv) parts.push_back(apply(part, normed));
  }
  return {parts[0], {parts[1], parts[2]}};
}

mx::array attend(const Qkv& qkv, const SelfAttention& layer) {
  if (const auto form = packed(layer)) return fast::attend(qkv, form);
  const auto& plain = std::get<PlainSelfAttention>(layer);
  if (plain.fused) return fused_attend(qkv.query, qkv.kv, plain.heads, /*causal=*/false);
  return plain_attend(qkv.query, qkv.kv, plain.heads, nullptr).out;
}

mx::array append_attend(Qkv qkv, PastKeyValue& past, const SelfAttention& layer) {
  if (const auto form = packed(layer)) return fast::append_attend(std::move(qkv), past, form);
  const auto& plain = std::get<PlainSelfAttention>(layer);
  past.length += qkv.query.shape(1);
  if (!past.order.rows.empty()) {
    for (mx::array& array : past.arrays) array = take_rows(array, past.order.rows, 0);
    past.order = {};
  }
  if (past.arrays.empty()) {
    past.arrays = {std::move(qkv.kv.key), std::move(qkv.kv.value)};
  } else {
    past.arrays = {mx::concatenate({past.arrays[0], qkv.kv.key}, 1),
                   mx::concatenate({past.arrays[1], qkv.kv.value}, 1)};
  }
  const KeyValue so_far{past.arrays[0], past.arrays[1]};
  if (plain.fused) return fused_attend(qkv.query, so_far, plain.heads, /*causal=*/true);
  return plain_attend(qkv.query, so_far, plain.heads, &plain.mask.value()).out;
}

mx::array norm_query(const mx::array& x, const CrossAttention& layer) {
  if (const auto form = packed(layer)) return fast::norm_query(x, form);
  const auto& plain = std::get<PlainCrossAttention>(layer);
  return apply(plain.query, apply(plain.norm, x));
}

std::vector<KeyValue> cross_kv(const mx::array& features, const CrossKeyValue& layers) {
  if (const auto form = packed(layers)) return fast::cross_kv(features, form);
  const auto& plain = std::get<PlainCrossKeyValue>(layers);
  std::vector<KeyValue> result;
  result.reserve(plain.layers.size());
  for (const auto& layer : plain.layers) {
    result.push_back({apply(layer.key, features), apply(layer.value, features)});
  }
  return result;
}

Attended cross_attend(const mx::array& query, const KeyValue& kv, const CrossAttention& layer,
                      bool want_qk) {
  if (const auto form = packed(layer)) return fast::cross_attend(query, kv, form, want_qk);
  const auto& plain = std::get<PlainCrossAttention>(layer);
  if (plain.fused && !want_qk) {
    KeyValue rows = kv;
    if (kv.key.shape(0) != query.shape(0)) {
      const mx::Shape shape{query.shape(0), kv.key.shape(1), kv.key.shape(2)};
      rows = {mx::broadcast_to(kv.key, shape), mx::broadcast_to(kv.value, shape)};
    }
    return {fused_attend(query, rows, plain.heads, /*causal=*/false), std::nullopt};
  }
  return plain_attend(query, kv, plain.heads, nullptr);
}

mx::array project_add(const mx::array& attended, const SelfAttention& layer,
                      const mx::array& residual) {
  if (const auto form = packed(layer)) return fast::project_add(attended, form, residual);
  return plain_project_add(attended, std::get<PlainSelfAttention>(layer).out, residual);
}

mx::array project_add(const mx::array& attended, const CrossAttention& layer,
                      const mx::array& residual) {
  if (const auto form = packed(layer)) return fast::project_add(attended, form, residual);
  return plain_project_add(attended, std::get<PlainCrossAttention>(layer).out, residual);
}

}  // namespace whinchat::ops
