#include "models/whisper/mel_filters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace whinchat::models::whisper {
namespace {

constexpr double kMaxHz = 8000.0;
constexpr double kLinearHzPerMel = 200.0 / 3.0;
constexpr double kLogStartHz = 1000.0;  // linear below, logarithmic above
constexpr double kLogStartMel = kLogStartHz / kLinearHzPerMel;

double log_step() { return std::log(6.4) / 27.0; }

double mel_to_hz(double mel) {
  if (mel < kLogStartMel) return kLinearHzPerMel * mel;
  return kLogStartHz * std::exp(log_step() * (mel - kLogStartMel));
}

double max_mel() { return kLogStartMel + std::log(kMaxHz / kLogStartHz) / log_step(); }

}  // namespace

std::vector<float> mel_filters(int n_mels) {
  // In double, in librosa's order, with its two roundings to float (triangle, then area).
  std::vector<double> edges_hz(static_cast<size_t>(n_mels) + 2);
  const double step = max_mel() / (n_mels + 1);
  for (size_t i = 0; i < edges_hz.size(); ++i) {
    const bool is_last = i + 1 == edges_hz.size();
    edges_hz[i] = mel_to_hz(is_last ? max_mel() : static_cast<double>(i) * step);
  }
  const double bin_hz = 1.0 / (400 * (1.0 / 16000));

  std::vector<float> filters(static_cast<size_t>(n_mels) * kSpectrumBins);
  for (size_t band = 0; band < static_cast<size_t>(n_mels); ++band) {
    const double low = edges_hz[band];
    const double middle = edges_hz[band + 1];
    const double high = edges_hz[band + 2];
    const double area = 2.0 / (high - low);
    for (size_t bin = 0; bin < kSpectrumBins; ++bin) {
      const double hz = static_cast<double>(bin) * bin_hz;
      const double rise = -(low - hz) / (middle - low);
      const double fall = (high - hz) / (high - middle);
      const auto triangle = static_cast<float>(std::max(std::min(rise, fall), 0.0));
      filters[band * kSpectrumBins + bin] = static_cast<float>(triangle * area);
    }
  }
  return filters;
}

}  // namespace whinchat::models::whisper
