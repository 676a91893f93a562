// Silero VAD v6: how likely speech is in each chunk of a recording (silero-vad 6.2.3, the weights
// of its jit and onnx files, which are in the binary). Always f32 on a CPU's kernels, whatever
// Whisper runs on. Made and used on the engine thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ops/chunk_layers.h"
#include "ops/profile.h"
#include "ops/runtime.h"

namespace whinchat::models::vad {

class SileroVad {
 public:
  static constexpr int kWidth = 128;  // of the LSTM
  static constexpr int kMostContextSamples = 64;

  // What the model knows of the recording so far. A new one: nothing, at its start.
  struct State {
    std::array<float, kWidth> h{}, c{};
    std::array<float, kMostContextSamples> context{};  // the last samples, at its end
  };

  // rate_hz: 16000 or 8000; threads 0: one a usable core. Throws Error{Internal} for other rates.
  explicit SileroVad(int rate_hz, int threads = 0);

  int rate_hz() const { return rate_hz_; }
  int chunk_samples() const { return rate_hz_ == 16000 ? 512 : 256; }

  // One probability a chunk of `samples`, which are whole chunks of mono audio from −1 to 1; the
  // state goes on. Any split into calls gives the same. Throws Error{Internal} for a part of a
  // chunk.
  std::vector<float> probabilities(std::span<const float> samples, State& state) const;

  ops::Profile& profile() const;  // of its operations

 private:
  void append_probabilities(std::span<const float> samples, State& state,
                            std::vector<float>& probabilities) const;
  float probability_of(const float* h) const;

  int rate_hz_;
  ops::Runtime runtime_;
  ops::ChunkSpectrumPtr spectrum_;
  std::array<ops::ChunkConvPtr, 4> convs_;
  ops::LstmPtr lstm_;
  std::vector<float> weight_;  // [kWidth]: from h to speech
  float bias_ = 0;
};

}  // namespace whinchat::models::vad
