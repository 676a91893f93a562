#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/math_test.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, as Highway has it.
#include <hwy/highway.h>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace whinchat::kernels::HWY_NAMESPACE {

// In place; `count` is a multiple of every target's lanes.
void exp_of(float* values, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(exp(d, hn::LoadU(d, values + i)), d, values + i);
  }
}

void gelu_of(float* values, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(gelu(d, hn::LoadU(d, values + i)), d, values + i);
  }
}

void rough_gelu_of(float* values, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(rough_gelu(d, hn::LoadU(d, values + i)), d, values + i);
  }
}

void log10_of(float* values, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(log10(d, hn::LoadU(d, values + i)), d, values + i);
  }
}

}  // namespace whinchat::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace whinchat::kernels {
namespace {

HWY_EXPORT(exp_of);
HWY_EXPORT(gelu_of);
HWY_EXPORT(rough_gelu_of);
HWY_EXPORT(log10_of);

constexpr size_t kLanes = 64;  // more than any target has

class Math : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

// About 2^18 floats of [least, most], each as many representable values from the next.
std::vector<float> floats_between(float least, float most) {
  // Ordered as the floats are: negative ones count down from −0.
  const auto rank = [](float value) -> int64_t {
    const auto bits = std::bit_cast<int32_t>(value);
    return bits < 0 ? -int64_t{bits & 0x7FFFFFFF} : bits;
  };
  const int64_t step = std::max<int64_t>(1, (rank(most) - rank(least)) >> 18);
  std::vector<float> values;
  for (int64_t at = rank(least); at <= rank(most); at += step) {
    const auto magnitude = static_cast<int32_t>(std::abs(at));
    values.push_back(std::copysign(std::bit_cast<float>(magnitude), at < 0 ? -1.0F : 1.0F));
  }
  values.push_back(most);
  while (values.size() % kLanes != 0) values.push_back(most);
  return values;
}

double gelu_in_double(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }

TEST_P(Math, ExpIsWithin2ToTheMinus22OfItself) {
  const std::vector<float> x = floats_between(-87.336F, 88.72F);
  std::vector<float> y = x;
  HWY_DYNAMIC_DISPATCH(exp_of)(y.data(), y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] / std::exp(double{x[i]}) - 1));
  }
  EXPECT_LT(worst, 0x1p-22);
}

TEST_P(Math, ExpIsZeroWhereResultsWouldBeSubnormal) {
  std::vector<float> x = floats_between(-std::numeric_limits<float>::max(), -87.3366F);
  x[0] = -std::numeric_limits<float>::infinity();
  HWY_DYNAMIC_DISPATCH(exp_of)(x.data(), x.size());
  EXPECT_EQ(std::ranges::count(x, 0.0F), std::ssize(x));
}

TEST_P(Math, ExpOfNaNIsNaN) {
  std::vector<float> x(kLanes, std::numeric_limits<float>::quiet_NaN());
  HWY_DYNAMIC_DISPATCH(exp_of)(x.data(), x.size());
  for (const float y : x) EXPECT_TRUE(std::isnan(y));
}

TEST_P(Math, GeluIsWithin2TenMillionths) {
  const std::vector<float> x = floats_between(-40, 1);
  std::vector<float> y = x;
  HWY_DYNAMIC_DISPATCH(gelu_of)(y.data(), y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] - gelu_in_double(x[i])));
  }
  EXPECT_LT(worst, 2e-7);
}

TEST_P(Math, GeluAboveOneIsWithin2ToTheMinus22OfItself) {
  const std::vector<float> x = floats_between(1, 1e30F);
  std::vector<float> y = x;
  HWY_DYNAMIC_DISPATCH(gelu_of)(y.data(), y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] / gelu_in_double(x[i]) - 1));
  }
  EXPECT_LT(worst, 0x1p-22);
}

TEST_P(Math, RoughGeluIsWithin2ToTheMinus11OfWhatItTakesAway) {
  const std::vector<float> x = floats_between(-40, 40);
  std::vector<float> y = x;
  HWY_DYNAMIC_DISPATCH(rough_gelu_of)(y.data(), y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = gelu_in_double(x[i]);
    const double taken = std::abs(std::max(0.0, double{x[i]}) - exact);
    const double own_rounding = std::abs(exact) * 0x1p-22 + 2e-7;
    worst = std::max(worst, (std::abs(y[i] - exact) - own_rounding) / (taken + 1e-30));
  }
  EXPECT_LT(worst, 0x1p-11);
}

TEST_P(Math, GeluKeepsNaNAndZero) {
  std::vector<float> x(kLanes, std::numeric_limits<float>::quiet_NaN());
  x[1] = 0;
  HWY_DYNAMIC_DISPATCH(gelu_of)(x.data(), x.size());
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_EQ(x[1], 0.0F);
}

TEST_P(Math, Log10IsWithin2ToTheMinus23OfItselfOrOfOneHalf) {
  const std::vector<float> x =
      floats_between(std::numeric_limits<float>::min(), std::numeric_limits<float>::max());
  std::vector<float> y = x;
  HWY_DYNAMIC_DISPATCH(log10_of)(y.data(), y.size());
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = std::log10(double{x[i]});
    worst = std::max(worst, std::abs(y[i] - exact) / std::max(std::abs(exact), 0.5));
  }
  EXPECT_LT(worst, 0x1p-23);
}

TEST_P(Math, Log10OfWhatIsNotFiniteIsNaN) {
  std::vector<float> x(kLanes, std::numeric_limits<float>::quiet_NaN());
  x[1] = std::numeric_limits<float>::infinity();
  HWY_DYNAMIC_DISPATCH(log10_of)(x.data(), x.size());
  for (const float y : x) EXPECT_TRUE(std::isnan(y));
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, Math, testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace whinchat::kernels

#endif  // HWY_ONCE
