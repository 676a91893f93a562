#include "models/whisper/whisper.h"

#include "base/json.h"
#include "models/whisper/dimensions.h"
#include "ops/runtime.h"
#include "weights/weight_map.h"

namespace whinchat::models::whisper {

Whisper::Whisper(weights::WeightMap weights, const base::Json& config, const ops::Runtime& runtime)
    : dims_(read_dimensions(config)),
      device_(runtime.device),
      dtype_(runtime.dtype),
      log_mel_(runtime, dims_.n_mels),
      encoder_({weights, runtime}, dims_),
      decoder_({weights, runtime}, dims_),
      alignment_heads_(read_alignment_heads(config, dims_)) {
  weights.audit();
}

}  // namespace whinchat::models::whisper
