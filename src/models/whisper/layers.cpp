#include "models/whisper/layers.h"

#include <string>

#include "nn/load.h"
#include "ops/attention.h"
#include "ops/mlp.h"

namespace whinchat::models::whisper {

ops::AttentionLayer load_attention(nn::Source source, const std::string& scope, int width) {
  return {nn::load_linear(source, scope + ".query", width, width),
          nn::load_linear_without_bias(source, scope + ".key", width, width),
          nn::load_linear(source, scope + ".value", width, width),
          nn::load_linear(source, scope + ".out", width, width)};
}

ops::Mlp load_mlp(nn::Source source, const std::string& scope, int width) {
  return {nn::load_norm(source, scope + ".mlp_ln", width),
          nn::load_linear(source, scope + ".mlp1", width, 4 * width),
          nn::load_linear(source, scope + ".mlp2", 4 * width, width)};
}

}  // namespace whinchat::models::whisper
