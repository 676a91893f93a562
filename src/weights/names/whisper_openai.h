// openai-whisper's names for the tensors of a Whisper, which whisper.cpp's files keep, to ours:
// `mlp.0` and `mlp.2` are the two linear layers of an MLP, a convolution's weight is
// [out, in, k] there and [out, k, in] here, and whisper.cpp stores its bias as [out, 1].
#pragma once

#include "weights/weight_map.h"

namespace whinchat::weights {

// By tensors that mlx-community does not name so.
bool has_whisper_openai_names(const WeightMap& tensors);

// Tensors that are not known keep their names, so that an audit shows them.
WeightMap name_whisper_openai(const WeightMap& tensors);

}  // namespace whinchat::weights
