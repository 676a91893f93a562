// A Whisper checkpoint in memory: dimensions, encoder, decoder. Built and used on the engine
// thread.
#pragma once

#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/dtype.h>

#include <utility>
#include <vector>

#include "base/json.h"
#include "models/whisper/decoder.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/encoder.h"
#include "models/whisper/log_mel.h"
#include "ops/runtime.h"
#include "weights/weight_map.h"

namespace whinchat::models::whisper {

class Whisper {
 public:
  // Makes every layer in the runtime's form and lets go of the files. `config` has mlx-whisper's
  // fields.
  // Throws Error{Corrupt | NotFound} that names every missing, misshapen or leftover tensor.
  Whisper(weights::WeightMap weights, const base::Json& config, const ops::Runtime& runtime);

  const ModelDimensions& dims() const { return dims_; }
  mlx::core::Device device() const { return device_; }
  mlx::core::Dtype dtype() const { return dtype_; }  // of what encode() takes
  const LogMelSpectrogram& log_mel() const { return log_mel_; }
  const Encoder& encoder() const { return encoder_; }
  const Decoder& decoder() const { return decoder_; }
  const std::vector<std::pair<int, int>>& alignment_heads() const { return alignment_heads_; }

 private:
  ModelDimensions dims_;
  mlx::core::Device device_;
  mlx::core::Dtype dtype_;
  LogMelSpectrogram log_mel_;
  Encoder encoder_;
  Decoder decoder_;
  std::vector<std::pair<int, int>> alignment_heads_;
};

}  // namespace whinchat::models::whisper
