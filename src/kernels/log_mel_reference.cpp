#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

#include "kernels/log_mel.h"
#include "kernels/mel_tables.h"

namespace whinchat::kernels {
namespace {

constexpr size_t kSamples = MelTables::kSamples;
constexpr size_t kBins = MelTables::kBins;

std::array<double, kBins> power_of(std::span<const float> frame, std::span<const float> window) {
  std::array<double, kSamples> cosine;
  std::array<double, kSamples> sine;
  for (size_t i = 0; i < kSamples; ++i) {
    cosine[i] = std::cos(2 * std::numbers::pi * static_cast<double>(i) / kSamples);
    sine[i] = std::sin(2 * std::numbers::pi * static_cast<double>(i) / kSamples);
  }
  std::array<double, kBins> power;
  for (size_t k = 0; k < kBins; ++k) {
    double real = 0;
    double imaginary = 0;
    for (size_t n = 0; n < kSamples; ++n) {
      const double sample = double{frame[n]} * double{window[n]};
      real += sample * cosine[k * n % kSamples];
      imaginary -= sample * sine[k * n % kSamples];
    }
    power[k] = real * real + imaginary * imaginary;
  }
  return power;
}

}  // namespace

float LogMel::log_power_reference(std::span<const float> padded, int64_t frames, float* out) const {
  expect_samples(padded, frames);
  float greatest = -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < frames; ++i) {
    const auto frame = padded.subspan(static_cast<size_t>(i * MelTables::kHop), kSamples);
    const std::array<double, kBins> power = power_of(frame, window_);
    for (int band = 0; band < n_mels_; ++band) {
      double sum = 0;
      for (size_t k = 0; k < kBins; ++k) {
        sum += double{filters_[static_cast<size_t>(band) * kBins + k]} * power[k];
      }
      const auto value = static_cast<float>(std::log10(std::max(sum, double{1e-10F})));
      greatest = std::max(greatest, value);
      out[i * n_mels_ + band] = value;
    }
  }
  return greatest;
}

}  // namespace whinchat::kernels
