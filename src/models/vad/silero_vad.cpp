#include "models/vad/silero_vad.h"

#include <mlx/array.h>
#include <mlx/device.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "models/vad/silero_weights.h"
#include "nn/load.h"
#include "ops/chunk_layers.h"
#include "ops/engine_thread.h"
#include "ops/fast/cpu.h"
#include "ops/parameter.h"
#include "ops/profile.h"
#include "ops/runtime.h"
#include "weights/formats/safetensors.h"
#include "weights/weight_map.h"

namespace whinchat::models::vad {
namespace {

namespace mx = mlx::core;

// Chunks heard at once: what lies between two layers of theirs stays in the L2 cache.
constexpr size_t kBlockChunks = 128;

struct Conv {
  int in, out, stride;
};

// Of 16 kHz; all but the width of the recurrence is half as much for 8 kHz.
constexpr int kFrame = 256;

std::array<Conv, 4> convs_of(int bins) {
  return {{{bins, 128, 1}, {128, 64, 2}, {64, 64, 2}, {64, 128, 1}}};
}

ops::LinearParameters load_conv(nn::Source source, const std::string& scope, const Conv& conv) {
  return {nn::load_parameter(source, scope + ".weight", {conv.out, 3, conv.in}),
          nn::load_parameter(source, scope + ".bias", {conv.out})};
}

// One of the LSTM's two products: "ih" or "hh".
ops::LinearParameters load_gates(nn::Source source, const std::string& part) {
  constexpr int64_t kWidth = SileroVad::kWidth;
  return {nn::load_parameter(source, "lstm_cell.weight_" + part, {4 * kWidth, kWidth}),
          nn::load_parameter(source, "lstm_cell.bias_" + part, {4 * kWidth})};
}

std::vector<float> floats_of(const ops::Parameter& parameter) {
  std::vector<float> floats(parameter.size());
  std::memcpy(floats.data(), parameter.data, floats.size() * sizeof(float));
  return floats;
}

weights::WeightMap weights_of(int rate_hz) {
  if (rate_hz != 16000 && rate_hz != 8000) {
    base::fail(ErrorKind::Internal,
               "[vad.SileroVad] expected 16000 or 8000 samples a second, got {}", rate_hz);
  }
  return weights::read_safetensors(rate_hz == 16000 ? silero_weights_16k() : silero_weights_8k(),
                                   nullptr, "Silero VAD's weights");
}

}  // namespace

SileroVad::SileroVad(int rate_hz, int threads) : rate_hz_(rate_hz) {
  weights::WeightMap weights = weights_of(rate_hz);
  const ops::OnDevice device(mx::Device::cpu);
  runtime_ = ops::make_fast_cpu(threads, ops::Products::F32);
  const nn::Source source{weights, runtime_};
  const int frame = kFrame / (16000 / rate_hz);
  const int bins = frame / 2 + 1;
  const ops::Parameter basis =
      nn::load_parameter(source, "stft_conv.weight", {int64_t{2} * bins, frame});
  std::array<ops::LinearParameters, 4> taps;
  for (size_t i = 0; i < taps.size(); ++i) {
    taps[i] = load_conv(source, "conv" + std::to_string(i + 1), convs_of(bins)[i]);
  }
  const ops::LstmParameters gates{load_gates(source, "ih"), load_gates(source, "hh")};
  const ops::Parameter weight = nn::load_parameter(source, "final_conv.weight", {kWidth});
  const ops::Parameter bias = nn::load_parameter(source, "final_conv.bias", {1});
  weights.audit();

  spectrum_ = ops::make_chunk_spectrum(
      runtime_, basis,
      {.context = frame / 4, .chunk = chunk_samples(), .reflected = frame / 4, .hop = frame / 2});
  for (size_t i = 0; i < taps.size(); ++i) {
    convs_[i] = ops::make_chunk_conv(runtime_, taps[i], convs_of(bins)[i].stride);
  }
  lstm_ = ops::make_lstm(runtime_, gates);
  weight_ = floats_of(weight);
  bias_ = floats_of(bias)[0];
}

ops::Profile& SileroVad::profile() const {
  ops::fast::Cpu& cpu = *runtime_.cpu;
  return cpu.profile();
}

std::vector<float> SileroVad::probabilities(std::span<const float> samples, State& state) const {
  const auto chunk = static_cast<size_t>(chunk_samples());
  if (samples.size() % chunk != 0) {
    base::fail(ErrorKind::Internal, "[vad.probabilities] expected chunks of {} samples, got {}",
               chunk, samples.size());
  }
  const ops::OnDevice device(mx::Device::cpu);
  std::vector<float> probabilities;
  probabilities.reserve(samples.size() / chunk);
  while (!samples.empty()) {
    const size_t count = std::min(kBlockChunks * chunk, samples.size());
    append_probabilities(samples.first(count), state, probabilities);
    samples = samples.subspan(count);
  }
  return probabilities;
}

void SileroVad::append_probabilities(std::span<const float> samples, State& state,
                                     std::vector<float>& probabilities) const {
  const int chunks = static_cast<int>(samples.size()) / chunk_samples();
  const auto context = static_cast<size_t>(chunk_samples() / 8);
  std::vector<float> heard(state.context.end() - static_cast<int64_t>(context),
                           state.context.end());
  heard.insert(heard.end(), samples.begin(), samples.end());
  std::copy_n(heard.end() - kMostContextSamples, kMostContextSamples, state.context.begin());

  mx::array x =
      ops::spectrum(mx::array(heard.begin(), {static_cast<int>(heard.size())}), spectrum_);
  for (const ops::ChunkConvPtr& conv : convs_) x = ops::conv_relu(x, conv);
  x = mx::slice(x, {0, 1, 0}, {chunks, 2, kWidth});  // the one frame that is left of each chunk
  ops::LstmOutput output = ops::lstm(x, mx::array(state.h.begin(), {kWidth}),
                                     mx::array(state.c.begin(), {kWidth}), lstm_);
  mx::eval(output.h, output.c);

  const float* h = output.h.data<float>();
  for (int n = 0; n < chunks; ++n) probabilities.push_back(probability_of(h + int64_t{n} * kWidth));
  std::copy_n(h + int64_t{chunks - 1} * kWidth, kWidth, state.h.begin());
  std::copy_n(output.c.data<float>(), kWidth, state.c.begin());
}

float SileroVad::probability_of(const float* h) const {
  float sum = bias_;
  for (size_t i = 0; i < weight_.size(); ++i) sum += weight_[i] * std::max(h[i], 0.0F);
  return 1.0F / (1.0F + std::exp(-sum));
}

}  // namespace whinchat::models::vad
