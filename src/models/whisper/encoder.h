// Whisper's audio encoder (mlx-whisper 0.4.3, whisper.py). Engine thread only.
#pragma once

#include <mlx/array.h>

#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/trace.h"
#include "nn/load.h"
#include "ops/attention.h"
#include "ops/mlp.h"

namespace whinchat::models::whisper {

class Encoder {
 public:
  Encoder(nn::Source source, const ModelDimensions& dims);

  // mel [B, 2 N, n_mels] in the runtime's type → features [B, N, n_audio_state]; N is n_audio_ctx,
  // or fewer: then the window is that much shorter. Throws Error{Internal} for another shape.
  // Trace: conv1, conv2_positions, block0 …
  mlx::core::array encode(const mlx::core::array& mel, const Trace& trace = {}) const;

 private:
  struct Block {
    ops::SelfAttention attn;
    ops::Mlp mlp;
  };

  ModelDimensions dims_;
  ops::Conv conv1_, conv2_;
  mlx::core::array positions_;  // [n_audio_ctx, n_audio_state]
  std::vector<Block> blocks_;
  ops::NormLayer ln_post_;
};

}  // namespace whinchat::models::whisper
