#include "kernels/layer_norm.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "kernels/bf16.h"
#include "kernels/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layer_norm.cpp"
#include <hwy/base.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

#include "kernels/bf16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

using One = hn::CappedTag<float, 1>;  // for the ends of rows

// Σ term(x) over a row. Four sums at once hide the latency of additions, and err less.
template <class Term>
HWY_INLINE float sum(const float* x, size_t width, Term term) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = sum0;
  auto sum2 = sum0;
  auto sum3 = sum0;
  size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    sum0 = term(d, hn::LoadU(d, x + i), sum0);
    sum1 = term(d, hn::LoadU(d, x + i + lanes), sum1);
    sum2 = term(d, hn::LoadU(d, x + i + 2 * lanes), sum2);
    sum3 = term(d, hn::LoadU(d, x + i + 3 * lanes), sum3);
  }
  for (; i + lanes <= width; i += lanes) sum0 = term(d, hn::LoadU(d, x + i), sum0);
  auto rest = hn::Zero(One());
  for (; i < width; ++i) rest = term(One(), hn::LoadU(One(), x + i), rest);
  const auto all = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  return hn::GetLane(hn::SumOfLanes(d, all)) + hn::GetLane(rest);
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> value, float* to) {
  hn::StoreU(value, d, to);
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> value, uint16_t* to) {
  store_bf16(d, value, to);
}

template <typename Out>
void norm_row(const LayerNorm& norm, const float* x, Out* out) {
  const auto width = static_cast<size_t>(norm.width);
  const auto count = static_cast<float>(norm.width);
  const float mean =
      sum(x, width, [](auto, auto value, auto sum) HWY_ATTR { return hn::Add(sum, value); }) /
      count;
  // Of differences from the mean: Σ x² − n · mean² would cancel.
  const float variance = sum(x, width,
                             [mean](auto d, auto value, auto sum) HWY_ATTR {
                               const auto off = hn::Sub(value, hn::Set(d, mean));
                               return hn::MulAdd(off, off, sum);
                             }) /
                         count;
  const float scale = 1.0F / std::sqrt(variance + norm.eps);

  const auto normed = [&](auto d, size_t i) HWY_ATTR {
    const auto off = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
    return hn::MulAdd(hn::Mul(off, hn::Set(d, scale)), hn::LoadU(d, norm.weight + i),
                      hn::LoadU(d, norm.bias + i));
  };
  const hn::ScalableTag<float> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= width; i += hn::Lanes(d)) store(d, normed(d, i), out + i);
  for (; i < width; ++i) store(One(), normed(One(), i), out + i);
}

void norm_rows(const LayerNorm& norm, int64_t rows, ConstRows x, Rows out) {
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride;
    if (out.type == Element::F32) {
      norm_row(norm, from, static_cast<float*>(out.data) + row * out.stride);
    } else {
      norm_row(norm, from, static_cast<uint16_t*>(out.data) + row * out.stride);
    }
  }
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(norm_rows);

void expect_types(const ConstRows& x, const Rows& out) {
  if (x.type == Element::F32 && out.type != Element::F16) return;
  base::fail(ErrorKind::Internal, "[kernels.layer_norm] expected f32 rows and f32 or bf16 results");
}

}  // namespace

void layer_norm(const LayerNorm& norm, int64_t rows, ConstRows x, Rows out) {
  expect_types(x, out);
  HWY_DYNAMIC_DISPATCH(norm_rows)(norm, rows, x, out);
}

void layer_norm_reference(const LayerNorm& norm, int64_t rows, ConstRows x, Rows out) {
  expect_types(x, out);
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride;
    double mean = 0;
    for (int i = 0; i < norm.width; ++i) mean += from[i];
    mean /= norm.width;
    double variance = 0;
    for (int i = 0; i < norm.width; ++i) variance += (from[i] - mean) * (from[i] - mean);
    variance /= norm.width;
    const double scale = 1 / std::sqrt(variance + norm.eps);
    for (int i = 0; i < norm.width; ++i) {
      const auto value =
          static_cast<float>((from[i] - mean) * scale * norm.weight[i] + norm.bias[i]);
      const int64_t at = row * out.stride + i;
      if (out.type == Element::F32) {
        static_cast<float*>(out.data)[at] = value;
      } else {
        static_cast<uint16_t*>(out.data)[at] = to_bf16(value);
      }
    }
  }
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
