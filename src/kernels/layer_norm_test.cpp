#include "kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/isa.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

constexpr double kUnit = 0x1p-24;  // of rounding to f32

struct Case {
  int width;
  int64_t rows, x_stride, out_stride;
  float mean;  // of values that spread by about 1

  std::vector<float> weight{}, bias{}, x{};

  void fill() {
    std::mt19937 random(static_cast<unsigned>(width));
    std::normal_distribution<float> normal;
    for (int i = 0; i < width; ++i) {
      weight.push_back(1.0F + normal(random));
      bias.push_back(normal(random));
    }
    x.resize(static_cast<size_t>(rows * x_stride));
    for (float& value : x) value = mean + normal(random);
  }

  LayerNorm norm() const {
    return {.weight = weight.data(), .bias = bias.data(), .width = width, .eps = 1e-5F};
  }
  ConstRows from() const { return {.data = x.data(), .stride = x_stride}; }
  float x_at(int64_t row, int i) const { return x[static_cast<size_t>(row * x_stride + i)]; }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int width : {1, 2, 3, 7, 8, 9, 31, 33, 64, 100, 384, 512, 513, 1280}) {
    all.push_back({.width = width, .rows = 1, .x_stride = width, .out_stride = width, .mean = 0});
    all.push_back(
        {.width = width, .rows = 5, .x_stride = width + 3, .out_stride = width + 1, .mean = 1000});
  }
  for (Case& each : all) each.fill();
  return all;
}

// Four sums at once have chains of at most n/4 + 8 roundings (one lane). The mean is off by that
// much of the mean magnitude; the variance by the square of this and by its own chain's share.
std::vector<double> bounds_of(const Case& of, int64_t row) {
  const double chain = of.width / 4.0 + 8;
  double mean = 0;
  double magnitude = 0;
  for (int i = 0; i < of.width; ++i) {
    mean += of.x_at(row, i) / double(of.width);
    magnitude += std::abs(of.x_at(row, i)) / double(of.width);
  }
  double variance = 1e-5;
  for (int i = 0; i < of.width; ++i) {
    variance += std::pow(of.x_at(row, i) - mean, 2) / of.width;
  }
  const double mean_error = (chain + 1) * kUnit * magnitude;
  const double scale = 1 / std::sqrt(variance);
  const double scale_error = mean_error * mean_error / variance / 2 + (chain / 2 + 5) * kUnit;
  std::vector<double> bounds;
  for (int i = 0; i < of.width; ++i) {
    const double off = std::abs(of.x_at(row, i) - mean) * scale;
    const double weight = std::abs(of.weight[static_cast<size_t>(i)]);
    const double bias = std::abs(of.bias[static_cast<size_t>(i)]);
    bounds.push_back(weight * (mean_error * scale + off * (scale_error + 3 * kUnit)) +
                     2 * kUnit * (weight * off + bias));
  }
  return bounds;
}

class LayerNormTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

TEST_P(LayerNormTest, StaysWithinTheBoundOfTheReferenceAtOddSizes) {
  for (const Case& each : cases()) {
    const auto size = static_cast<size_t>(each.rows * each.out_stride);
    std::vector<float> out(size, -7.0F);
    std::vector<float> expected(size, -7.0F);
    layer_norm(each.norm(), each.rows, each.from(), {out.data(), each.out_stride});
    layer_norm_reference(each.norm(), each.rows, each.from(), {expected.data(), each.out_stride});
    for (int64_t row = 0; row < each.rows; ++row) {
      const std::vector<double> bounds = bounds_of(each, row);
      for (int i = 0; i < each.out_stride; ++i) {
        const auto at = static_cast<size_t>(row * each.out_stride + i);
        const double bound = i < each.width ? bounds[static_cast<size_t>(i)] : 0;
        ASSERT_NEAR(out[at], expected[at], bound) << "width " << each.width << ", row " << row;
      }
    }
  }
}

TEST_P(LayerNormTest, RoundsToTheNearestBf16) {
  for (const Case& each : cases()) {
    const auto size = static_cast<size_t>(each.rows * each.out_stride);
    std::vector<float> singles(size, -7.0F);
    std::vector<uint16_t> halves(size, to_bf16(-7.0F));
    layer_norm(each.norm(), each.rows, each.from(), {singles.data(), each.out_stride});
    layer_norm(each.norm(), each.rows, each.from(),
               {halves.data(), each.out_stride, Element::BF16});
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(halves[i], to_bf16(singles[i])) << i;
  }
}

TEST_P(LayerNormTest, BreaksTiesToEvenAndKeepsNaN) {
  // A row of equal values is its bias, unless the value is not a number.
  const float above_one = 1.0F + 0x1p-7F;  // bf16's next one; its tie with 1 goes to 1
  std::vector<float> bias = {1.0F + 0x1p-8F, above_one + 0x1p-8F, 1.0F + 0x1.01p-8F, -3.0F};
  std::vector<float> x(8, 2.0F);
  x[5] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> weight(4, 1.0F);
  std::vector<uint16_t> out(8);
  layer_norm({.weight = weight.data(), .bias = bias.data(), .width = 4, .eps = 1e-5F}, 2,
             {x.data(), 4}, {out.data(), 4, Element::BF16});
  EXPECT_EQ(from_bf16(out[0]), 1.0F);
  EXPECT_EQ(from_bf16(out[1]), 1.0F + 0x1p-6F);
  EXPECT_EQ(from_bf16(out[2]), above_one);
  EXPECT_EQ(from_bf16(out[3]), -3.0F);
  for (size_t i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(from_bf16(out[i])));
}

TEST_P(LayerNormTest, InPlaceEqualsOutOfPlaceInEveryRun) {
  for (const Case& each : cases()) {
    const auto bytes = each.x.size() * sizeof(float);
    std::vector<float> apart(each.x);
    layer_norm(each.norm(), each.rows, each.from(), {apart.data(), each.x_stride});
    for (int run = 0; run < 3; ++run) {
      std::vector<float> inside(each.x);
      layer_norm(each.norm(), each.rows, {inside.data(), each.x_stride},
                 {inside.data(), each.x_stride});
      ASSERT_EQ(std::memcmp(inside.data(), apart.data(), bytes), 0) << each.width;
    }
  }
}

TEST_P(LayerNormTest, RefusesTypesThatItHasNoKernelFor) {
  std::vector<float> x(4);
  const LayerNorm norm{.weight = x.data(), .bias = x.data(), .width = 4, .eps = 0};
  EXPECT_THROW(layer_norm(norm, 1, {x.data(), 4}, {x.data(), 4, Element::F16}), Error);
  EXPECT_THROW(layer_norm(norm, 1, {x.data(), 4, Element::BF16}, {x.data(), 4}), Error);
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, LayerNormTest, testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace whinchat::kernels
