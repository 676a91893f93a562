// CTranslate2's quantised variables: i8 with a scale for each row (`<name>_scale`), i16 with one
// scale for all. An element is q · (1 / scale), in f32, as in its own dequantisation.
// Source: CTranslate2 4.8, python/ctranslate2/specs/model_spec.py and src/ops/dequantize_cpu.cc.
#pragma once

#include "weights/weight_map.h"

namespace whinchat::weights {

// The same variables, the quantised ones with computed rows and without their scales. Throws
// Error{Corrupt} where a scale is missing or has another shape or type.
WeightMap with_computed_rows(const WeightMap& variables);

}  // namespace whinchat::weights
