// A Whisper model as CTranslate2's own converter lays it out: our modules under its names,
// projections fused, the convolutions' axes moved back, its flags.
#pragma once

#include <vector>

#include "base/json.h"
#include "weights/formats/ctranslate2_writer.h"
#include "weights/formats/planned_tensor.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {

// Every variable in `dtype`, ascending by name. Throws Error as WeightMap::audit.
std::vector<PlannedTensor> plan_whisper_ct2(WeightMap& weights, const base::Json& config,
                                            DType dtype);

// The output projection, which is the embedding.
NamedAliases whisper_ct2_aliases();

}  // namespace whinchat::weights
