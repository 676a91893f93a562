#include "models/whisper/log_mel.h"

#include <mlx/array.h>
#include <mlx/fft.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

#include "base/mutation.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/mel_filters.h"

namespace whinchat::models::whisper {
namespace {

namespace mx = mlx::core;

constexpr int kFrameSamples = 400;

// The periodic Hann window, computed as NumPy's hanning(401)[:-1] and rounded to f32.
mx::array hann_window() {
  std::vector<float> window(kFrameSamples);
  for (int i = 0; i < kFrameSamples; ++i) {
    const double n = 2.0 * i - kFrameSamples;
    window[static_cast<size_t>(i)] =
        static_cast<float>(0.5 + 0.5 * std::cos(std::numbers::pi * n / kFrameSamples));
  }
  return mx::array(window.begin(), {kFrameSamples});
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

}  // namespace

mx::array log_mel_spectrogram(std::span<const float> samples, int n_mels, int padding) {
  const std::vector<float> padded = reflect_pad(samples, padding);
  const auto size = static_cast<int>(padded.size());
  const int frames = (size - kFrameSamples + kHopLength) / kHopLength;
  const mx::array signal(padded.begin(), {size});
  const mx::array framed = mx::as_strided(signal, {frames, kFrameSamples}, {kHopLength, 1}, 0);
  const mx::array spectrum = mx::fft::rfft(mx::multiply(framed, hann_window()));
  const mx::array power =
      mx::square(mx::abs(mx::slice(spectrum, {0, 0}, {frames - 1, kSpectrumBins})));

  const std::vector<float> bank = mel_filters(n_mels);
  const mx::array filters(bank.begin(), {n_mels, kSpectrumBins});
  const mx::array mel = mx::matmul(power, mx::transpose(filters));

  const auto decades = static_cast<float>(base::mutable_constant("log_mel.clamp_decades", 8));
  const mx::array log_mel = mx::log10(mx::maximum(mel, mx::array(1e-10F)));
  const mx::array clamped =
      mx::maximum(log_mel, mx::subtract(mx::max(log_mel), mx::array(decades)));
  return mx::divide(mx::add(clamped, mx::array(4.0F)), mx::array(4.0F));
}

}  // namespace whinchat::models::whisper
