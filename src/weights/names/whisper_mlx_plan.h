// A Whisper model as mlx-whisper loads it: weights.safetensors and config.json.
#pragma once

#include <optional>
#include <vector>

#include "base/json.h"
#include "weights/formats/mlx_quantised.h"
#include "weights/formats/planned_tensor.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

// Every tensor of the model in `dtype`; with a quantisation, linear layers and the embedding in its
// codes, as mlx.nn.quantize has them. The alignment heads follow where `config` has them. Throws
// Error as WeightMap::audit, {Unsupported} for a width of no whole groups.
std::vector<PlannedTensor> plan_whisper_mlx(WeightMap& weights, const base::Json& config,
                                            DType dtype,
                                            const std::optional<MlxQuantisation>& quantisation);

// The config.json beside it.
base::Json whisper_mlx_config(const base::Json& config,
                              const std::optional<MlxQuantisation>& quantisation);

}  // namespace whinchat::weights
