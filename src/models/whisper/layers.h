// The layers that Whisper's encoder and decoder share, under the checkpoint's names.
#pragma once

#include <string>

#include "nn/load.h"
#include "ops/attention.h"
#include "ops/mlp.h"

namespace whinchat::models::whisper {

// scope.attn_ln, scope.attn.{query, key, value, out}; keys have no bias.
ops::SelfAttentionParameters load_self_attention(nn::Source source, const std::string& scope,
                                                 int width);

// scope.{mlp_ln, mlp1, mlp2}; four times as wide inside.
ops::MlpParameters load_mlp(nn::Source source, const std::string& scope, int width);

}  // namespace whinchat::models::whisper
