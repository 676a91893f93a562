// CTranslate2's Whisper variables (`decoder/layer_0/self_attention/linear_0/weight`) as tensors of
// our names and layout. Fused projections become slices of the same bytes; convolution weights are
// copied, as their axes move; quantised weights have computed rows. A variable that is not known
// keeps its name, so that the audit names it.
#pragma once

#include "base/json.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

// Throws Error{Unsupported} for an output projection of its own and flags that ask for another
// network; Error{Corrupt} where the parts do not fit each other.
WeightMap name_whisper_ct2(const WeightMap& variables);

// The dimensions, from shapes and num_heads (names/whisper_config.h says which fields).
base::Json whisper_ct2_config(const WeightMap& variables);

}  // namespace whinchat::weights
