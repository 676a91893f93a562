#include "models/whisper/layers.h"

#include <string>

#include "nn/load.h"
#include "ops/attention.h"
#include "ops/mlp.h"

namespace whinchat::models::whisper {

ops::SelfAttentionParameters load_self_attention(nn::Source source, const std::string& scope,
                                                 int width) {
  const std::string attn = scope + ".attn";
  return {.norm = nn::load_norm(source, scope + ".attn_ln", width),
          .query = nn::load_linear(source, attn + ".query", width, width),
          .key = nn::load_linear_without_bias(source, attn + ".key", width, width),
          .value = nn::load_linear(source, attn + ".value", width, width),
          .out = nn::load_linear(source, attn + ".out", width, width)};
}

ops::MlpParameters load_mlp(nn::Source source, const std::string& scope, int width) {
  return {.norm = nn::load_norm(source, scope + ".mlp_ln", width),
          .up = nn::load_linear(source, scope + ".mlp1", width, 4 * width),
          .down = nn::load_linear(source, scope + ".mlp2", 4 * width, width)};
}

}  // namespace whinchat::models::whisper
