#include "kernels/byte_panels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/element.h"
#include "kernels/isa.h"
#include "kernels/layer_norm.h"
#include "kernels/product.h"
#include "kernels/team.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

struct Case {
  int64_t rows;
  int in, out;
  bool norm, gelu, residual;
};

constexpr std::array<Case, 9> kCases = {{{1, 1, 1, false, false, false},
                                         {1, 64, 48, true, false, false},
                                         {2, 37, 33, false, true, true},
                                         {5, 96, 17, true, true, false},
                                         {7, 129, 64, false, false, true},
                                         {8, 65, 257, true, false, false},
                                         {31, 240, 95, false, true, false},
                                         {151, 384, 97, true, false, true},
                                         {301, 63, 16, false, false, false}}};

std::vector<float> random_values(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

size_t area(int64_t rows, int64_t columns) { return static_cast<size_t>(rows * columns); }

// A product of random values, with gaps behind its rows.
class Data {
 public:
  explicit Data(const Case& test)
      : test_(test),
        x_stride_(test.in + 3),
        y_stride_(test.out + 5),
        x_(random_values(area(test.rows, x_stride_), 1)),
        weights_(random_values(area(test.out, test.in), 2)),
        bias_(random_values(area(test.out, 1), 3)),
        residual_(random_values(area(test.rows, y_stride_), 4)),
        gamma_(random_values(area(test.in, 1), 5)),
        beta_(random_values(area(test.in, 1), 6)),
        norm_{gamma_.data(), beta_.data(), test.in, 1e-5F} {}

  WeightView weights() const { return {weights_.data(), Element::F32, test_.out, test_.in}; }
  std::vector<float> y() const { return residual_; }
  Product product(std::vector<float>& y) const {
    return {.rows = test_.rows,
            .x = {x_.data(), x_stride_},
            .y = {y.data(), y_stride_},
            .norm = test_.norm ? &norm_ : nullptr,
            .bias = bias_.data(),
            .gelu = test_.gelu,
            .residual = test_.residual ? residual_.data() : nullptr};
  }

  // The largest magnitude of a row of x, normed where it is.
  double magnitude(int64_t row) const {
    const float* x = x_.data() + row * x_stride_;
    std::vector<float> values(x, x + test_.in);
    const Rows in_place{values.data(), test_.in};
    if (test_.norm) layer_norm_reference(norm_, 1, in_place, in_place);
    double most = 0;
    for (const float value : values) most = std::max(most, std::abs(double{value}));
    return most;
  }

  std::vector<float> multiply(const BytePanels& panels, Team& team) const {
    std::vector<float> y = residual_;
    multiply_byte_panels(product(y), panels, team);
    return y;
  }

 private:
  Case test_;
  int64_t x_stride_, y_stride_;
  std::vector<float> x_, weights_, bias_, residual_, gamma_, beta_;
  LayerNorm norm_;
};

BytePanels pack(const WeightView& weights, Team& team) {
  return pack_byte_panels({&weights, 1}, team);
}

std::vector<float> rows_of(const BytePanels& panels) {
  std::vector<float> rows(area(panels.out, panels.in));
  for (int j = 0; j < panels.out; ++j) copy_byte_row(panels, j, rows.data() + area(j, panels.in));
  return rows;
}

double sum_of_magnitudes(const float* row, int in) {
  double sum = 0;
  for (int k = 0; k < in; ++k) sum += std::abs(row[k]);
  return sum;
}

class BytePanelsTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

// Of the rounded weights x's rounding is all that is lost: half a step of each term, where GELU has
// a slope up to 1.13. What f32 rounds besides (norm, scales, bias) is far below 2^-20 of the terms.
double bound_of(const BytePanels& panels, const float* weights, double magnitude) {
  const double step = magnitude / panels.largest;
  return 1.13 * sum_of_magnitudes(weights, panels.in) * (step / 2 + magnitude * 0x1p-20) + 2e-6;
}

void expect_rounded_product(const Case& test, Team& team) {
  const Data data(test);
  const BytePanels panels = pack(data.weights(), team);
  const std::vector<float> rounded = rows_of(panels);
  std::vector<float> expected = data.y();
  multiply_reference(data.product(expected), {rounded.data(), Element::F32, test.out, test.in});
  const std::vector<float> y = data.multiply(panels, team);
  const int64_t stride = test.out + 5;
  for (int64_t r = 0; r < test.rows; ++r) {
    const double magnitude = data.magnitude(r);
    for (int64_t j = 0; j < stride; ++j) {
      const size_t at = area(r, stride) + static_cast<size_t>(j);
      const bool is_result = j < test.out;  // beside them nothing is touched
      const double bound =
          is_result ? bound_of(panels, rounded.data() + area(j, test.in), magnitude) : 0;
      ASSERT_NEAR(y[at], expected[at], bound) << "row " << r << ", output " << j;
    }
  }
}

TEST_P(BytePanelsTest, MultiplyRoundedWeightsUpToTheRoundingOfX) {
  Team team(2);
  for (const Case& test : kCases) {
    SCOPED_TRACE(testing::Message() << test.rows << " rows, " << test.in << " → " << test.out);
    expect_rounded_product(test, team);
  }
}

TEST_P(BytePanelsTest, GiveTheSameBitsToAnyTeam) {
  for (const Case& test : kCases) {
    const Data data(test);
    Team alone(1);
    const std::vector<float> expected = data.multiply(pack(data.weights(), alone), alone);
    for (const int threads : {2, 3, 5}) {
      Team team(threads);
      ASSERT_EQ(data.multiply(pack(data.weights(), team), team), expected);
    }
  }
}

// Norm and GELU aside, whose sums depend on the width of vectors.
TEST_P(BytePanelsTest, GiveTheSameBitsOnEveryInstructionSet) {
  for (Case test : kCases) {
    test.norm = test.gelu = false;
    const Data data(test);
    Team team(2);
    const std::vector<float> y = data.multiply(pack(data.weights(), team), team);
    limit_isa(Isa::Portable);
    EXPECT_EQ(data.multiply(pack(data.weights(), team), team), y);
    limit_isa(GetParam());
  }
}

// The largest sums that there can be: every weight and every x at its limit, of one sign and of
// two.
TEST_P(BytePanelsTest, NeverOverflow) {
  constexpr int kIn = 5121;
  constexpr int kOut = 17;
  for (const int64_t rows : {1, 6, 64}) {
    std::vector<float> weights(area(kOut, kIn));
    std::vector<float> x(area(rows, kIn));
    const auto sign = [](int64_t row, int64_t k) { return row % 2 == 0 || k % 2 == 0 ? 1 : -1; };
    for (int j = 0; j < kOut; ++j) {
      for (int k = 0; k < kIn; ++k)
        weights[area(j, kIn) + static_cast<size_t>(k)] = 0.5F * static_cast<float>(sign(j, k));
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int k = 0; k < kIn; ++k)
        x[area(r, kIn) + static_cast<size_t>(k)] = -3.0F * static_cast<float>(sign(r, k));
    }
    std::vector<float> y(area(rows, kOut));
    Team team(2);
    multiply_byte_panels({.rows = rows, .x = {x.data(), kIn}, .y = {y.data(), kOut}},
                         pack({weights.data(), Element::F32, kOut, kIn}, team), team);
    for (int64_t r = 0; r < rows; ++r) {
      for (int j = 0; j < kOut; ++j) {
        const float expected = (r + j) % 2 == 0 ? -1.5F * kIn : -1.5F;
        ASSERT_NEAR(y[area(r, kOut) + static_cast<size_t>(j)], expected, 1.5 * kIn * 0x1p-21);
      }
    }
  }
}

TEST_P(BytePanelsTest, KeepWhatIsNotFinite) {
  constexpr int kIn = 37;
  const std::vector<float> weights = random_values(area(20, kIn), 1);
  std::vector<float> x = random_values(area(4, kIn), 2);
  x[area(1, kIn) + 36] = std::numeric_limits<float>::quiet_NaN();
  x[area(2, kIn)] = -std::numeric_limits<float>::infinity();
  std::fill_n(x.begin() + int64_t{3} * kIn, kIn, 1e-42F);
  std::vector<float> y(area(4, 20));
  Team team(1);
  multiply_byte_panels({.rows = 4, .x = {x.data(), kIn}, .y = {y.data(), 20}},
                       pack({weights.data(), Element::F32, 20, kIn}, team), team);
  for (size_t j = 0; j < 20; ++j) {
    EXPECT_TRUE(std::isfinite(y[j]));
    EXPECT_TRUE(std::isnan(y[20 + j]));
    EXPECT_TRUE(std::isnan(y[40 + j]));
    EXPECT_NEAR(y[60 + j], 0, 1e-30);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, BytePanelsTest, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(BytePanels, RoundEachOutputToItsLargestBy127) {
  const std::vector<float> weights = random_values(area(19, 33), 7);
  Team team(2);
  const std::vector<float> rounded = rows_of(pack({weights.data(), Element::F32, 19, 33}, team));
  for (size_t j = 0; j < 19; ++j) {
    float most = 0;
    for (size_t k = 0; k < 33; ++k) most = std::max(most, std::abs(weights[j * 33 + k]));
    for (size_t k = 0; k < 33; ++k) {
      EXPECT_NEAR(rounded[j * 33 + k], weights[j * 33 + k], most / 254 * 1.00001);
    }
  }
}

// As a CTranslate2 int8 checkpoint has them: w = q / scale, the largest q of an output being 127.
TEST(BytePanels, KeepWeightsThatAreRoundedAlready) {
  constexpr size_t kIn = 65;
  std::mt19937 random(8);
  std::uniform_int_distribution<int> codes(-127, 127);
  std::uniform_real_distribution<float> scales(20, 4000);
  std::vector<int> q(40 * kIn);
  std::vector<float> weights(q.size());
  for (size_t j = 0; j < 40; ++j) {
    const float scale = scales(random);
    for (size_t k = 0; k < kIn; ++k) {
      int& code = q[j * kIn + k];
      code = k == j ? -127 : codes(random);
      weights[j * kIn + k] = static_cast<float>(code) / scale;
    }
  }
  Team team(2);
  const WeightView view{weights.data(), Element::F32, 40, kIn};
  const BytePanels panels = pack(view, team);
  for (int64_t j = 0; j < 40; ++j) {
    for (int64_t k = 0; k < int64_t{kIn}; ++k) {
      const int64_t at = (k / 2 * 16 + j % 16) * 2 + k % 2;
      ASSERT_EQ(panels.weights(j / 16)[at],
                q[static_cast<size_t>(j) * kIn + static_cast<size_t>(k)]);
    }
  }
  std::vector<float> row(kIn);
  PackedWeights::pack({&view, 1}, RowsPerCall::Few, Precision::Int8, team).copy_row(7, row.data());
  for (size_t k = 0; k < kIn; ++k) {
    EXPECT_NEAR(row[k], weights[7 * kIn + k], std::abs(weights[7 * kIn + k]) * 0x1p-22);
  }
}

TEST(BytePanels, WantWeightsThatAreFinite) {
  std::vector<float> weights(64, 1.0F);
  weights[40] = std::numeric_limits<float>::infinity();
  Team team(1);
  EXPECT_THROW(pack({weights.data(), Element::F32, 8, 8}, team), Error);
}

}  // namespace
}  // namespace whinchat::kernels
