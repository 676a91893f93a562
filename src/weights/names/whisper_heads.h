// The alignment heads that OpenAI found for its own models, for files that carry none (.pt, ggml).
// Source: openai-whisper's _ALIGNMENT_HEADS, unpacked.
#pragma once

#include <string_view>

#include "base/json.h"

namespace whinchat::weights {

// Adds alignment_heads to `config` for a model of the dimensions of one of OpenAI's; large-v1 and
// large-v2, which share theirs, are told apart by `file_name`. Other models get none, for which
// the model takes every head of its last half.
void add_known_alignment_heads(base::Json& config, std::string_view file_name);

}  // namespace whinchat::weights
