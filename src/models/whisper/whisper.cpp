#include "models/whisper/whisper.h"

#include <mlx/dtype.h>

#include "base/json.h"
#include "models/whisper/dimensions.h"
#include "weights/weight_map.h"

namespace whinchat::models::whisper {

Whisper::Whisper(weights::WeightMap weights, const base::Json& config, mlx::core::Dtype dtype)
    : dims_(read_dimensions(config)),
      dtype_(dtype),
      encoder_({weights, dtype}, dims_),
      decoder_({weights, dtype}, dims_),
      alignment_heads_(read_alignment_heads(config, dims_)) {
  weights.audit();
}

}  // namespace whinchat::models::whisper
