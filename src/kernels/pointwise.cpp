#include "kernels/pointwise.h"

#include <cstddef>
#include <cstdint>
#include <span>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pointwise.cpp"
#include <hwy/base.h>
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls each(d, i) for vectors of values, then for those at the end one by one.
template <typename Each>
HWY_INLINE void walk(size_t count, const Each& each) {
  const hn::ScalableTag<float> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) each(d, i);
  for (; i < count; ++i) each(hn::CappedTag<float, 1>(), i);
}

void relu_values(float* values, size_t count) {
  walk(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(hn::Max(hn::LoadU(d, values + i), hn::Zero(d)), d, values + i);
  });
}

void fill_magnitudes(const float* real, const float* imaginary, size_t count, float* out) {
  walk(count, [&](auto d, size_t i) HWY_ATTR {
    const auto a = hn::LoadU(d, real + i);
    const auto b = hn::LoadU(d, imaginary + i);
    hn::StoreU(hn::Sqrt(hn::MulAdd(a, a, hn::Mul(b, b))), d, out + i);
  });
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(relu_values);
HWY_EXPORT(fill_magnitudes);

}  // namespace

void relu(std::span<float> values) {
  HWY_DYNAMIC_DISPATCH(relu_values)(values.data(), values.size());
}

void magnitudes(const float* real, const float* imaginary, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(fill_magnitudes)(real, imaginary, static_cast<size_t>(count), out);
}

}  // namespace whinchat::kernels

#endif  // HWY_ONCE
