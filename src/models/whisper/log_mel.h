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

  // Frames of a stretch: `signal` begins 200 samples before the first one's middle and has 160 for
  // each frame and 400 more, of which the last 160 do not count. Of the oracle's graph the bits may
  // depend on the number of frames. `maximum`: the greatest log power that the clamp goes by.
  mlx::core::array frames(std::span<const float> signal, float maximum) const;
  float greatest_log_power(std::span<const float> signal) const;

  // Whether only `of` gives the oracle's bits.
  bool is_faithful() const { return is_faithful_; }

 private:
  ops::LogMel layer_;
  bool is_faithful_;
};

}  // namespace whinchat::models::whisper
