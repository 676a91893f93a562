// Attention on the kernels of a CPU: the packed forms of ops/attention.h's words.
#pragma once

#include <mlx/array.h>

#include <memory>
#include <span>
#include <vector>

#include "ops/fast/layers.h"
#include "ops/key_value.h"

namespace whinchat::ops {

struct SelfAttentionParameters;
struct CrossAttentionParameters;
struct KeyValueParameters;

namespace fast {

struct SelfAttention : Layer {
  Norm norm;
  Linear qkv, out;
  int heads, context;
};

struct CrossAttention : Layer {
  Norm norm;
  Linear query, out;
  int heads;
};

struct CrossKeyValue : Layer {
  std::vector<Linear> layers;  // key, value of each decoder layer in turn
};

std::shared_ptr<const SelfAttention> make_self_attention(std::shared_ptr<Cpu> cpu,
                                                         const SelfAttentionParameters& layer);
std::shared_ptr<const CrossAttention> make_cross_attention(std::shared_ptr<Cpu> cpu,
                                                           const CrossAttentionParameters& layer);
std::shared_ptr<const CrossKeyValue> make_cross_key_value(
    std::shared_ptr<Cpu> cpu, std::span<const KeyValueParameters> layers);

using SelfPtr = std::shared_ptr<const SelfAttention>;
using CrossPtr = std::shared_ptr<const CrossAttention>;

Qkv norm_qkv(const mx::array& x, const SelfPtr& layer);
mx::array attend(const Qkv& qkv, const SelfPtr& layer);
// `past` holds one array [2, B, context, C], written in place.
mx::array append_attend(Qkv qkv, PastKeyValue& past, const SelfPtr& layer);
mx::array norm_query(const mx::array& x, const CrossPtr& layer);
std::vector<KeyValue> cross_kv(const mx::array& features,
                               const std::shared_ptr<const CrossKeyValue>& layers);
Attended cross_attend(const mx::array& query, const KeyValue& kv, const CrossPtr& layer,
                      bool want_qk);
mx::array project_add(const mx::array& attended, const SelfPtr& layer, const mx::array& residual);
mx::array project_add(const mx::array& attended, const CrossPtr& layer, const mx::array& residual);

}  // namespace fast
}  // namespace whinchat::ops
