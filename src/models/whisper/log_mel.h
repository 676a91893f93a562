// Whisper's input: log10 mel power of 25 ms frames every 10 ms, clamped to 8 decades below the
// maximum and scaled to about −1 … 1 (mlx-whisper 0.4.3, audio.py).
#pragma once

#include <mlx/array.h>

#include <span>

#include "ops/log_mel.h"
#include "ops/runtime.h"

namespace whinchat::models::whisper {

class LogMelSpectrogram {
 public:
  LogMelSpectrogram(const ops::Runtime& runtime, int n_mels);

  // samples: 16 kHz mono; `padding` zero samples are added behind them. The maximum of the clamp is
  // that of all frames. Returns [frames, n_mels] f32, lazy, with (samples + padding) / 160 frames.
  // Needs at least 201 samples with the padding. Engine thread.
  mlx::core::array of(std::span<const float> samples, int padding) const;

 private:
  ops::LogMel layer_;
};

}  // namespace whinchat::models::whisper
