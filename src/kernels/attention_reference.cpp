#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/attention.h"
#include "kernels/attention_kernels.h"
#include "kernels/bf16.h"
#include "kernels/element.h"

namespace whinchat::kernels {
namespace {

double read(ConstRows rows, int64_t row, int64_t column) {
  const int64_t at = row * rows.stride + column;
  switch (rows.type) {
    case Element::F32:
      return static_cast<const float*>(rows.data)[at];
    case Element::F16:
      return static_cast<const _Float16*>(rows.data)[at];
    case Element::BF16:
      return from_bf16(static_cast<const uint16_t*>(rows.data)[at]);
  }
  return 0;
}

void write(double value, Rows rows, int64_t row, int64_t column) {
  const int64_t at = row * rows.stride + column;
  switch (rows.type) {
    case Element::F32:
      static_cast<float*>(rows.data)[at] = static_cast<float>(value);
      return;
    case Element::F16:
      static_cast<_Float16*>(rows.data)[at] = static_cast<_Float16>(value);
      return;
    case Element::BF16:
      static_cast<uint16_t*>(rows.data)[at] = to_bf16(static_cast<float>(value));
      return;
  }
}

void attend_row(const Attention& call, int head, int t) {
  const int64_t column = int64_t{head} * call.head_size;
  const auto seen = static_cast<size_t>(keys_seen(call, t));
  std::vector<double> weights(seen);
  double sum = 0;
  for (size_t s = 0; s < seen; ++s) {
    const auto row = static_cast<int64_t>(s);
    for (int j = 0; j < call.head_size; ++j) {
      weights[s] += read(call.q, t, column + j) * read(call.k, row, column + j);
    }
    weights[s] /= std::sqrt(call.head_size);
  }
  if (call.scores != nullptr) {
    float* to = call.scores + (int64_t{head} * call.queries + t) * call.keys;
    std::fill_n(to, call.keys, -std::numeric_limits<float>::infinity());
    std::ranges::transform(weights, to, [](double score) { return static_cast<float>(score); });
  }
  const double max = *std::ranges::max_element(weights);
  for (double& weight : weights) sum += weight = std::exp(weight - max);
  for (int j = 0; j < call.head_size; ++j) {
    double value = 0;
    for (size_t s = 0; s < seen; ++s) {
      value += weights[s] * read(call.v, static_cast<int64_t>(s), column + j);
    }
    write(value / sum, call.out, t, column + j);
  }
}

}  // namespace

void attend_reference(const Attention& call) {
  for (int head = 0; head < call.heads; ++head) {
    for (int t = 0; t < call.queries; ++t) attend_row(call, head, t);
  }
}

}  // namespace whinchat::kernels
