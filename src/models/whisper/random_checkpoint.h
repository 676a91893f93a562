// A tiny Whisper with random weights, for tests of logic.
#pragma once

#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/runtime.h"
#include "weights/weight_map.h"

namespace whinchat::models::whisper {

ModelDimensions tiny_dimensions();
base::Json config_of(const ModelDimensions& dims);
weights::WeightMap random_weights(
    const ModelDimensions& dims);  // small f32 values, the same each time
Whisper random_whisper(const ops::Runtime& runtime = {});

}  // namespace whinchat::models::whisper
