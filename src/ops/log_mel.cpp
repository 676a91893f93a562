#include "ops/log_mel.h"

#include <mlx/array.h>
#include <mlx/fft.h>
#include <mlx/ops.h>

#include "ops/fast/log_mel.h"
#include "ops/layers.h"
#include "ops/runtime.h"

namespace whinchat::ops {
namespace {

constexpr int kFrameSamples = 400;
constexpr int kHopSamples = 160;
constexpr int kSpectrumBins = 201;

}  // namespace

LogMel make_log_mel(const Runtime& runtime, const LogMelParameters& layer) {
  if (runtime.cpu) return fast::make_log_mel(runtime.cpu, layer);
  return PlainLogMel{mx::array(layer.filters.begin(), {layer.n_mels, kSpectrumBins}),
                     mx::array(layer.window.begin(), {kFrameSamples})};
}

mx::array log_mel(const mx::array& signal, const LogMel& layer, float decades) {
  const int frames = (signal.shape(0) - kFrameSamples + kHopSamples) / kHopSamples;
  if (const auto form = packed(layer)) return fast::log_mel(signal, frames - 1, form, decades);
  const auto& plain = std::get<PlainLogMel>(layer);
  const mx::array framed = mx::as_strided(signal, {frames, kFrameSamples}, {kHopSamples, 1}, 0);
  const mx::array spectrum = mx::fft::rfft(mx::multiply(framed, plain.window));
  const mx::array power =
      mx::square(mx::abs(mx::slice(spectrum, {0, 0}, {frames - 1, kSpectrumBins})));
  const mx::array mel = mx::matmul(power, mx::transpose(plain.filters));
  const mx::array log_mel = mx::log10(mx::maximum(mel, mx::array(1e-10F)));
  const mx::array clamped =
      mx::maximum(log_mel, mx::subtract(mx::max(log_mel), mx::array(decades)));
  return mx::divide(mx::add(clamped, mx::array(4.0F)), mx::array(4.0F));
}

}  // namespace whinchat::ops
