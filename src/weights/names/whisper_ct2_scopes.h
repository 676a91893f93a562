// CTranslate2's scopes of a Whisper model beside our modules.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace whinchat::weights {

// One of their scopes; several of our modules when theirs is fused.
struct Ct2Scope {
  std::string_view theirs;
  std::array<std::string_view, 3> ours;

  size_t parts() const {
    return std::ranges::count_if(ours, [](auto s) { return !s.empty(); });
  }
};
inline constexpr Ct2Scope kCt2InBlock[] = {
    {"self_attention/layer_norm", {"attn_ln"}},
    {"self_attention/linear_0", {"attn.query", "attn.key", "attn.value"}},
    {"self_attention/linear_1", {"attn.out"}},
    {"attention/layer_norm", {"cross_attn_ln"}},
    {"attention/linear_0", {"cross_attn.query"}},
    {"attention/linear_1", {"cross_attn.key", "cross_attn.value"}},
    {"attention/linear_2", {"cross_attn.out"}},
    {"ffn/layer_norm", {"mlp_ln"}},
    {"ffn/linear_0", {"mlp1"}},
    {"ffn/linear_1", {"mlp2"}},
};
inline constexpr Ct2Scope kCt2Outside[] = {
    {"encoder/conv1", {"encoder.conv1"}},
    {"encoder/conv2", {"encoder.conv2"}},
    {"encoder/layer_norm", {"encoder.ln_post"}},
    {"decoder/layer_norm", {"decoder.ln"}},
    {"decoder/embeddings", {"decoder.token_embedding"}},
};

}  // namespace whinchat::weights
