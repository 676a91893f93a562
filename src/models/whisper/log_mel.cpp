#include "models/whisper/log_mel.h"

#include <mlx/array.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "base/mutation.h"
#include "models/whisper/mel_filters.h"
#include "ops/log_mel.h"
#include "ops/runtime.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

constexpr int kFrameSamples = 400;

// The periodic Hann window, computed as NumPy's hanning(401)[:-1] and rounded to f32.
std::vector<float> hann_window() {
  std::vector<float> window(kFrameSamples);
  for (int i = 0; i < kFrameSamples; ++i) {
    const double n = 2.0 * i - kFrameSamples;
    window[static_cast<size_t>(i)] =
        static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * n / kFrameSamples));
  }
  return window;
}

// Half a frame of mirrored samples on either side of samples and padding.
std::vector<float> reflect_pad(std::span<const float> samples, int padding) {
  constexpr size_t kEdge = kFrameSamples / 2;
  const size_t length = samples.size() + static_cast<size_t>(padding);
  std::vector<float> padded(length + 2 * kEdge, 0.0F);
  std::copy(samples.begin(), samples.end(), padded.begin() + kEdge);
  for (size_t i = 1; i <= kEdge; ++i) {
    padded[kEdge - i] = padded[kEdge + i];
    padded[kEdge + length - 1 + i] = padded[kEdge + length - 1 - i];
  }
  return padded;
}

float clamp_decades() {
  return static_cast<float>(base::mutable_constant("log_mel.clamp_decades", 8));
}

mx::array array_of(std::span<const float> signal) {
  return mx::array(signal.begin(), {static_cast<int>(signal.size())});
}

}  // namespace

LogMelSpectrogram::LogMelSpectrogram(const ops::Runtime& runtime, int n_mels)
    : layer_(ops::make_log_mel(runtime, {n_mels, mel_filters(n_mels), hann_window()})),
      is_faithful_(!runtime.cpu && !runtime.fused) {}

mx::array LogMelSpectrogram::of(std::span<const float> samples, int padding) const {
  return ops::log_mel(array_of(reflect_pad(samples, padding)), layer_, clamp_decades());
}

mx::array LogMelSpectrogram::frames(std::span<const float> signal, float maximum) const {
  return ops::log_mel(array_of(signal), layer_, clamp_decades(), maximum);
}

float LogMelSpectrogram::greatest_log_power(std::span<const float> signal) const {
  return ops::greatest_log_power(array_of(signal), layer_).item<float>();
}

}  // namespace whinchat::models::whisper
