#include "kernels/lstm.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "kernels/team.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lstm.cpp"
#include <hwy/base.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;

// 1 / (1 + e^−x), within 2e-7; 0 for NaN.
HWY_INLINE Vector sigmoid(Vector x) {
  const Floats d;
  const Vector one = hn::Set(d, 1.0F);
  return hn::Div(one, hn::Add(one, exp(d, hn::Min(hn::Neg(x), hn::Set(d, 88.0F)))));
}

HWY_INLINE Vector tanh(Vector x) {
  const Floats d;
  const Vector half = sigmoid(hn::Add(x, x));
  return hn::Sub(hn::Add(half, half), hn::Set(d, 1.0F));
}

// gates [4 · width] = inputs + W · h.
HWY_INLINE void sum_gates(const float* panels, size_t width, const float* inputs, const float* h,
                          float* gates) {
  const Floats d;
  constexpr size_t kLanes = hn::MaxLanes(Floats());
  constexpr size_t kSums = 8;  // enough to hide the latency of additions
  constexpr size_t kWidth = Lstm::kPanel;
  for (size_t output = 0; output < 4 * width; output += kSums * kLanes) {
    const float* weights = panels + output / kWidth * kWidth * width + output % kWidth;
    Vector sums[kSums];
    for (size_t s = 0; s < kSums; ++s) sums[s] = hn::LoadU(d, inputs + output + s * kLanes);
    for (size_t k = 0; k < width; ++k, weights += kWidth) {
      const Vector factor = hn::Set(d, h[k]);
      for (size_t s = 0; s < kSums; ++s) {
        sums[s] = hn::MulAdd(factor, hn::LoadU(d, weights + s * kLanes), sums[s]);
      }
    }
    for (size_t s = 0; s < kSums; ++s) hn::Store(sums[s], d, gates + output + s * kLanes);
  }
}

void run_steps(const LstmWeights& weights, const float* inputs, int64_t steps, Lstm::State state,
               float* gates, float* out) {
  const Floats d;
  const size_t width = weights.width;
  const float* h = state.h;
  for (int64_t step = 0; step < steps; ++step, inputs += 4 * width, out += width) {
    sum_gates(weights.panels, width, inputs, h, gates);
    for (size_t i = 0; i < width; i += hn::Lanes(d)) {
      const auto gate = [&](size_t which)
                            HWY_ATTR { return hn::Load(d, gates + which * width + i); };
      const Vector kept = hn::Mul(sigmoid(gate(1)), hn::LoadU(d, state.c + i));
      const Vector c = hn::MulAdd(sigmoid(gate(0)), tanh(gate(2)), kept);
      hn::StoreU(c, d, state.c + i);
      hn::StoreU(hn::Mul(sigmoid(gate(3)), tanh(c)), d, out + i);
    }
    h = out;
  }
  if (steps > 0) std::copy_n(h, width, state.h);
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(run_steps);

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Lstm::Lstm(int width, std::span<const float> weights)
    : width_(width), weights_(weights.begin(), weights.end()), panels_(weights.size()) {
  const auto inputs = static_cast<size_t>(width);
  if (width < 1 || 4 * width % kPanel != 0 || weights.size() != 4 * inputs * inputs) {
    base::fail(ErrorKind::Internal,
               "[kernels.Lstm] expected 4 · w · w weights of a width w in 32s, got {} and {}",
               weights.size(), width);
  }
  for (size_t output = 0; output < 4 * inputs; ++output) {
    float* panel = panels_.data() + output / kPanel * kPanel * inputs + output % kPanel;
    for (size_t k = 0; k < inputs; ++k) panel[k * kPanel] = weights[output * inputs + k];
  }
}

void Lstm::run(const float* inputs, int64_t steps, State state, float* out, Arena& arena) const {
  const Arena::Scope scope(arena);
  const auto width = static_cast<size_t>(width_);
  HWY_DYNAMIC_DISPATCH(run_steps)
  ({panels_.data(), width}, inputs, steps, state, arena.take<float>(4 * width), out);
}

void Lstm::run_reference(const float* inputs, int64_t steps, State state, float* out) const {
  const auto width = static_cast<size_t>(width_);
  std::vector<double> h(state.h, state.h + width);
  std::vector<double> c(state.c, state.c + width);
  std::vector<double> gates(4 * width);
  for (int64_t step = 0; step < steps; ++step, inputs += 4 * width, out += width) {
    for (size_t output = 0; output < gates.size(); ++output) {
      gates[output] = inputs[output];
      for (size_t k = 0; k < width; ++k) gates[output] += weights_[output * width + k] * h[k];
    }
    for (size_t i = 0; i < width; ++i) {
      c[i] = sigmoid(gates[width + i]) * c[i] + sigmoid(gates[i]) * std::tanh(gates[2 * width + i]);
      h[i] = sigmoid(gates[3 * width + i]) * std::tanh(c[i]);
      out[i] = static_cast<float>(h[i]);
    }
  }
  std::ranges::transform(h, state.h, [](double value) { return static_cast<float>(value); });
  std::ranges::transform(c, state.c, [](double value) { return static_cast<float>(value); });
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
