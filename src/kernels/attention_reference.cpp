#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
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

// A head's part of `count` rows.
std::vector<double> read_head(ConstRows rows, int count, int64_t column, int size) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(count) * static_cast<size_t>(size));
  for (int row = 0; row < count; ++row) {
    for (int j = 0; j < size; ++j) values.push_back(read(rows, row, column + j));
  }
  return values;
}

struct Head {
  int index, size;
  std::vector<double> q, k, v;  // [T, D], [S, D], [S, D]
};

void attend_row(const Attention& call, const Head& head, int t) {
  const int seen = keys_seen(call, t);
  std::vector<double> weights;
  for (int s = 0; s < seen; ++s) {
    const double* q = &head.q[static_cast<size_t>(t) * head.size];
    const double* k = &head.k[static_cast<size_t>(s) * head.size];
    weights.push_back(std::inner_product(q, q + head.size, k, 0.0) / std::sqrt(head.size));
  }
  if (call.scores != nullptr) {
    float* to = call.scores + (int64_t{head.index} * call.queries + t) * call.keys;
    std::fill_n(to, call.keys, -std::numeric_limits<float>::infinity());
    std::ranges::transform(weights, to, [](double score) { return static_cast<float>(score); });
  }
  const double max = *std::ranges::max_element(weights);
  double sum = 0;
  std::vector<double> out(static_cast<size_t>(head.size));
  for (int s = 0; s < seen; ++s) {
    const double weight = std::exp(weights[static_cast<size_t>(s)] - max);
    sum += weight;
    const double* v = &head.v[static_cast<size_t>(s) * head.size];
    for (double& value : out) value += weight * *v++;
  }
  for (int j = 0; j < head.size; ++j) {
    write(out[static_cast<size_t>(j)] / sum, call.out, t, int64_t{head.index} * head.size + j);
  }
}

}  // namespace

void attend_reference(const Attention& call) {
  for (int index = 0; index < call.heads; ++index) {
    const int size = call.head_size;
    const int64_t column = int64_t{index} * size;
    const Head head{index, size, read_head(call.q, call.queries, column, size),
                    read_head(call.k, call.keys, column, size),
                    read_head(call.v, call.keys, column, size)};
    for (int t = 0; t < call.queries; ++t) attend_row(call, head, t);
  }
}

}  // namespace whinchat::kernels
