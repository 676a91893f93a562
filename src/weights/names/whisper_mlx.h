// mlx-community's Whisper tensors: the names and the layout are ours already.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weights/weight_map.h"

namespace whinchat::weights {

bool has_whisper_mlx_names(const WeightMap& tensors);

// Marks what is known and is no weight: alignment_heads and the encoder's positions.
void tolerate_whisper_mlx(WeightMap& tensors);

// layer, head, layer, head, … of the tensor `alignment_heads` [N, 2], where there is one.
// Throws Error{Corrupt} for another shape or type.
std::optional<std::vector<int64_t>> read_alignment_heads(const WeightMap& tensors);

}  // namespace whinchat::weights
