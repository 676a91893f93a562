// The recurrence of an LSTM cell, step after step: gates = inputs + W · h; then with the gates i,
// f, g, o: c = σ(f) · c + σ(i) · tanh(g), h = σ(o) · tanh(c) (torch.nn.LSTMCell). f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/team.h"

namespace whinchat::kernels {

// Panels of 128 outputs, in which the weights of one input lie side by side.
struct LstmWeights {
  const float* panels;  // [4 · width / 128, width, 128]
  size_t width;
};

class Lstm {
 public:
  // weights [4 · width, width], row-major: those of h. Throws Error{Internal} unless width is a
  // multiple of 32.
  Lstm(int width, std::span<const float> weights);

  struct State {
    float* h;  // [width], read and written
    float* c;  // [width], read and written
  };

  int width() const { return width_; }

  // inputs [steps, 4 · width]: what the steps' inputs and the biases come to; out [steps, width]:
  // each h. Finite whatever the inputs. One thread's work: any thread.
  void run(const float* inputs, int64_t steps, State state, float* out, Arena& arena) const;

  // The same in double precision.
  void run_reference(const float* inputs, int64_t steps, State state, float* out) const;

  static constexpr int kPanel = 128;  // outputs side by side in `panels`

 private:
  int width_;
  std::vector<float> weights_;  // the reference's
  std::vector<float> panels_;
};

}  // namespace whinchat::kernels
