// The words of attention layers. B batch, T new positions, S positions attended to, C width,
// H heads. Lazy: errors of evaluation come out of eval. Engine thread only.
#pragma once

#include <mlx/array.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ops/fast/attention.h"
#include "ops/key_value.h"
#include "ops/layers.h"
#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {

struct SelfAttentionParameters {
  NormParameters norm;
  LinearParameters query, key, value, out;
  int heads = 1;
  int context = 0;  // positions that a causal layer can see; 0: every position sees all
};

struct CrossAttentionParameters {
  NormParameters norm;
  LinearParameters query, out;
  int heads = 1;
};

struct KeyValueParameters {
  LinearParameters key, value;
};

// mlx-whisper 0.4.3's layer, or its fused form for a GPU.
struct PlainSelfAttention {
  Norm norm;
  std::vector<Linear> qkv;  // query, key and value; fused: one for all three
  Linear out;
  int heads;
  std::optional<mx::array> mask;  // [context, context], added to a causal layer's scores
  bool fused;                     // attention by MLX's own kernel
};

struct PlainCrossAttention {
  Norm norm;
  Linear query, out;
  int heads;
  bool fused;
};

struct PlainCrossKeyValue {
  struct Layer {
    Linear key, value;
  };
  std::vector<Layer> layers;
};

using SelfAttention = Forms<PlainSelfAttention, fast::SelfAttention>;
using CrossAttention = Forms<PlainCrossAttention, fast::CrossAttention>;
using CrossKeyValue = Forms<PlainCrossKeyValue, fast::CrossKeyValue>;

SelfAttention make_self_attention(const Runtime& runtime, const SelfAttentionParameters& layer);
CrossAttention make_cross_attention(const Runtime& runtime, const CrossAttentionParameters& layer);
CrossKeyValue make_cross_key_value(const Runtime& runtime,
                                   std::span<const KeyValueParameters> layers);

// x [B, T, C] → query, key and value of its norm.
Qkv norm_qkv(const mx::array& x, const SelfAttention& layer);

// [B, T, C], every position seeing all T.
mx::array attend(const Qkv& qkv, const SelfAttention& layer);

// Appends to `past` and attends to it: [B, T, C], each position seeing itself and what is before.
mx::array append_attend(Qkv qkv, PastKeyValue& past, const SelfAttention& layer);

mx::array norm_query(const mx::array& x, const CrossAttention& layer);

// Keys and values of every layer for one window's features [1, S, C].
std::vector<KeyValue> cross_kv(const mx::array& features, const CrossKeyValue& layers);

// Attention of query [B, T, C] over kv, whose batch may be 1 and is then broadcast.
Attended cross_attend(const mx::array& query, const KeyValue& kv, const CrossAttention& layer,
                      bool want_qk);

// residual + out(attended).
mx::array project_add(const mx::array& attended, const SelfAttention& layer,
                      const mx::array& residual);
mx::array project_add(const mx::array& attended, const CrossAttention& layer,
                      const mx::array& residual);

}  // namespace whinchat::ops
