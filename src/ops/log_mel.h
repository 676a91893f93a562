// Log-mel power of a signal: Hann frames, their power spectrum, a mel bank, log10, clamped below
// the maximum and scaled (mlx-whisper 0.4.3, audio.py). Lazy; engine thread.
#pragma once

#include <mlx/array.h>

#include <optional>
#include <vector>

#include "ops/fast/log_mel.h"
#include "ops/layers.h"
#include "ops/runtime.h"

namespace whinchat::ops {

struct LogMelParameters {
  int n_mels;
  std::vector<float> filters;  // [n_mels, 201]
  std::vector<float> window;   // [400]
};

struct PlainLogMel {
  mx::array filters, window;
};

using LogMel = Forms<PlainLogMel, fast::LogMel>;

LogMel make_log_mel(const Runtime& runtime, const LogMelParameters& layer);

// signal [N] f32: 400 samples a frame, 160 between frames. Returns [frames − 1, n_mels] f32: the
// last frame is left out. The maximum is that of all that are returned, unless it is given.
mx::array log_mel(const mx::array& signal, const LogMel& layer, float decades,
                  std::optional<float> maximum = {});

// The greatest log10 power [] f32 of the same frames, which log_mel takes as its maximum.
mx::array greatest_log_power(const mx::array& signal, const LogMel& layer);

}  // namespace whinchat::ops
