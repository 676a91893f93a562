// A Whisper model's dimensions in mlx-whisper's words, as JSON: n_mels, n_audio_ctx, n_audio_state,
// n_audio_head, n_audio_layer, n_vocab, n_text_ctx, n_text_state, n_text_head, n_text_layer, and
// alignment_heads as [[layer, head], …] where the checkpoint has them. Every value lies in a sane
// range, and the heads divide the width. Throws Error{Corrupt} that names the file and the field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace whinchat::weights {

// From a config.json of mlx-community, and from one of Hugging Face's transformers.
base::Json read_mlx_config(const base::Json& file, const std::string& source);
base::Json read_hf_config(const base::Json& file, const std::string& source);

// Checks a config whose fields were found in another way.
base::Json read_whisper_config(const base::Json& fields, const std::string& source);

// Adds file["alignment_heads"] to `config` when the file has it and it is not null.
void add_alignment_heads(base::Json& config, const base::Json& file, const std::string& source);

// The same from layer, head, layer, head, …
void add_alignment_heads(base::Json& config, const std::vector<int64_t>& pairs,
                         const std::string& source);

}  // namespace whinchat::weights
