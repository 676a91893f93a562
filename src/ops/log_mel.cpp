#include "ops/log_mel.h"

#include <mlx/array.h>
#include <mlx/fft.h>
#include <mlx/ops.h>

#include <optional>

#include "ops/fast/log_mel.h"
#include "ops/layers.h"
#include "ops/runtime.h"

namespace whinchat::ops {
namespace {

constexpr int kFrameSamples = 400;
constexpr int kHopSamples = 160;
constexpr int kSpectrumBins = 201;

int frames_of(const mx::array& signal) { return (signal.shape(0) - kFrameSamples) / kHopSamples; }

mx::array plain_log_power(const mx::array& signal, const PlainLogMel& layer) {
  const int frames = frames_of(signal);
  const mx::array framed = mx::as_strided(signal, {frames + 1, kFrameSamples}, {kHopSamples, 1}, 0);
  const mx::array spectrum = mx::fft::rfft(mx::multiply(framed, layer.window));
  const mx::array power = mx::square(mx::abs(mx::slice(spectrum, {0, 0}, {frames, kSpectrumBins})));
  const mx::array mel = mx::matmul(power, mx::transpose(layer.filters));
  return mx::log10(mx::maximum(mel, mx::array(1e-10F)));
}

}  // namespace

LogMel make_log_mel(const Runtime& runtime, const LogMelParameters& layer) {
  if (runtime.cpu) return fast::make_log_mel(runtime.cpu, layer);
  return PlainLogMel{mx::array(layer.filters.begin(), {layer.n_mels, kSpectrumBins}),
                     mx::array(layer.window.begin(), {kFrameSamples})};
}

mx::array log_mel(const mx::array& signal, const LogMel& layer, float decades,
                  std::optional<float> maximum) {
  if (const auto form = packed(layer)) {
    return fast::log_mel(signal, frames_of(signal), form, {decades, maximum});
  }
  const mx::array power = plain_log_power(signal, std::get<PlainLogMel>(layer));
  const mx::array greatest = maximum ? mx::array(*maximum) : mx::max(power);
  const mx::array clamped = mx::maximum(power, mx::subtract(greatest, mx::array(decades)));
  return mx::divide(mx::add(clamped, mx::array(4.0F)), mx::array(4.0F));
}

mx::array greatest_log_power(const mx::array& signal, const LogMel& layer) {
  if (const auto form = packed(layer)) {
    return mx::max(fast::log_power(signal, frames_of(signal), form));
  }
  return mx::max(plain_log_power(signal, std::get<PlainLogMel>(layer)));
}

}  // namespace whinchat::ops
