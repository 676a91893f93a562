// Hugging Face transformers' Whisper tensors (`model.encoder.layers.0.self_attn.q_proj.weight`) as
// tensors of our names and layout; convolution weights are copied, as their axes move. A tensor
// that is not known keeps its name, so that the audit names it.
#pragma once

#include "weights/weight_map.h"

namespace whinchat::weights {

// Whether the names are transformers', with or without the prefix `model.`.
bool has_whisper_hf_names(const WeightMap& tensors);

// Throws Error{Unsupported} for an output projection that differs from the embeddings.
WeightMap name_whisper_hf(const WeightMap& tensors);

}  // namespace whinchat::weights
