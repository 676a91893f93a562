// The words of an attention layer, in mlx-whisper 0.4.3's order of operations.
// B batch, T new positions, S positions attended to, C width, H heads. Lazy: errors of evaluation
// come out of eval. Called on the engine thread only.
#pragma once

#include <mlx/array.h>

#include <optional>
#include <span>
#include <vector>

#include "ops/layers.h"

namespace whinchat::ops {

struct AttentionLayer {
  Linear query, key, value, out;
};

struct KeyValue {
  mx::array key;    // [B, S, C], neither split into heads nor scaled
  mx::array value;  // [B, S, C]
};

struct Qkv {
  mx::array query;  // [B, T, C]
  KeyValue kv;
};

struct Attended {
  mx::array out;  // [B, T, C]
  mx::array qk;   // [B, H, T, S], scaled scores before softmax
};

Qkv norm_qkv(const mx::array& x, const Norm& norm, const AttentionLayer& layer);
mx::array norm_query(const mx::array& x, const Norm& norm, const AttentionLayer& layer);

// Keys and values of all `layers` for one window's features [1, S, C].
std::vector<KeyValue> cross_kv(const mx::array& features,
                               std::span<const AttentionLayer* const> layers);

// Appends `fresh` to `past` along S and returns all of it (`past` is empty before the first call).
const KeyValue& append(std::optional<KeyValue>& past, KeyValue fresh);

// Attention of query [B, T, C] over kv, whose batch may be 1 and is then broadcast. `mask`, if not
// null, is added to the scores: [N, N] with N ≥ T, of which [:T, :T] is used.
Attended attend(const mx::array& query, const KeyValue& kv, int heads, const mx::array* mask);

// residual + out(attended).
mx::array project_add(const mx::array& attended, const Linear& out, const mx::array& residual);

}  // namespace whinchat::ops
