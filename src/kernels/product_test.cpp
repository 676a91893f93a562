#include "kernels/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/half_panels.h"
#include "kernels/half_tiles.h"
#include "kernels/isa.h"
#include "kernels/layer_norm.h"
#include "kernels/team.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

struct Case {
  int64_t rows;
  int in, out;
  bool norm, bias, gelu, residual;
};

constexpr std::array<Case, 10> kCases = {{
    {1, 1, 1, false, false, false, false},
    {1, 64, 48, true, true, false, false},
    {2, 37, 33, false, true, true, true},
    {3, 512, 130, true, true, false, true},
    {5, 96, 17, true, true, true, false},
    {7, 128, 64, false, false, false, true},
    {8, 65, 257, true, false, false, false},
    {31, 240, 95, false, true, true, false},
    {150, 384, 97, true, true, false, true},
    {301, 64, 16, false, true, false, false},
}};

// Whole tiles and all their remainders.
constexpr std::array<Case, 9> kHalfCases = {{
    {1, 1, 1, false, false, false, false},
    {32, 32, 32, false, false, false, false},
    {33, 64, 48, false, true, false, true},
    {64, 37, 33, false, true, true, true},
    {7, 512, 130, true, true, false, true},
    {95, 96, 17, true, true, true, false},
    {250, 240, 96, false, true, true, true},
    {150, 384, 97, true, true, false, true},
    {301, 64, 16, false, true, false, false},
}};

double most_of(const std::vector<float>& values) {
  double most = 0;
  for (const float value : values) most = std::max(most, std::abs(double{value}));
  return most;
}

class Data {
 public:
  explicit Data(const Case& test, Element weight_type) : test_(test) {
    std::mt19937 random(static_cast<unsigned>(test.rows * 131 + test.in));
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<float>& values, size_t count) {
      values.resize(count);
      for (float& value : values) value = normal(random);
    };
    x_stride_ = test.in + 3;
    y_stride_ = test.out + 5;
    fill(x_, static_cast<size_t>(test.rows * x_stride_));
    fill(bias_, static_cast<size_t>(test.out));
    fill(residual_, static_cast<size_t>(test.rows * y_stride_));
    fill(gamma_, static_cast<size_t>(test.in));
    fill(beta_, static_cast<size_t>(test.in));
    norm_ = {gamma_.data(), beta_.data(), test.in, 1e-5F};
    std::vector<float> weights;
    fill(weights, static_cast<size_t>(test.in) * static_cast<size_t>(test.out));
    // One byte off any alignment, as in real files.
    stored_.resize(weights.size() * size_of(weight_type) + 1);
    for (size_t i = 0; i < weights.size(); ++i) store(weights[i], weight_type, i);
    weights_ = {stored_.data() + 1, weight_type, test.out, test.in};
  }

  const WeightView& weights() const { return weights_; }
  const std::vector<float>& x() const { return x_; }
  std::vector<float> y() const { return residual_; }

  // Everything from −3 to 3.
  void make_whole() {
    int value = 0;
    for (std::vector<float>* values : {&x_, &bias_, &residual_}) {
      for (float& each : *values) each = static_cast<float>(value++ * 5 % 7 - 3);
    }
    const auto count = static_cast<size_t>(test_.in) * static_cast<size_t>(test_.out);
    for (size_t i = 0; i < count; ++i) {
      store(static_cast<float>(static_cast<int>(i * 3 % 7) - 3), weights_.type, i);
    }
  }

  Product product(std::vector<float>& y) const {
    return {.rows = test_.rows,
            .x = {x_.data(), x_stride_},
            .y = {y.data(), y_stride_},
            .norm = test_.norm ? &norm_ : nullptr,
            .bias = test_.bias ? bias_.data() : nullptr,
            .gelu = test_.gelu,
            .residual = test_.residual ? residual_.data() : nullptr};
  }

  // Sums of |norm(x)| · |w|, what a rounding error of each term is relative to.
  double magnitude() const {
    double most = 0;
    std::vector<float> row(static_cast<size_t>(test_.in));
    for (int64_t r = 0; r < test_.rows; ++r) {
      const Rows out{row.data(), test_.in};
      if (test_.norm) {
        layer_norm_reference(norm_, 1, {x_.data() + r * x_stride_, x_stride_}, out);
      } else {
        std::memcpy(row.data(), x_.data() + r * x_stride_, row.size() * sizeof(float));
      }
      double sum = 0;
      for (const float value : row) sum += std::abs(value);
      most = std::max(most, sum);
    }
    return most * 4.5;  // no weight of these samples of a normal distribution is larger
  }

 private:
  void store(float value, Element type, size_t index) {
    std::byte* at = stored_.data() + 1 + index * size_of(type);
    if (type == Element::F32) {
      std::memcpy(at, &value, sizeof value);
    } else if (type == Element::F16) {
      const auto half = static_cast<_Float16>(value);
      std::memcpy(at, &half, sizeof half);
    } else {
      const uint16_t bits = to_bf16(value);
      std::memcpy(at, &bits, sizeof bits);
    }
  }

  Case test_;
  int64_t x_stride_ = 0, y_stride_ = 0;
  std::vector<float> x_, bias_, residual_, gamma_, beta_;
  LayerNorm norm_{};
  std::vector<std::byte> stored_;
  WeightView weights_{};
};

void expect_near(const std::vector<float>& y, const std::vector<float>& expected, double bound) {
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_NEAR(y[i], expected[i], bound) << "at " << i << " of " << y.size();
  }
}

class ProductTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

void expect_reference_of_any_team(const Data& data, const Case& test, RowsPerCall rows) {
  std::vector<float> expected = data.y();
  multiply_reference(data.product(expected), data.weights());
  const double bound = data.magnitude() * (test.in + 8) * 0x1p-24 * 1.13 / 4 + 1e-6;
  for (const int threads : {1, 2, 3, 5}) {
    Team team(threads);
    std::vector<float> y = data.y();
    PackedWeights::pack({&data.weights(), 1}, rows, Precision::F32, team)
        .multiply(data.product(y), team);
    SCOPED_TRACE(testing::Message() << test.rows << " rows, " << test.in << " → " << test.out
                                    << ", " << threads << " threads");
    expect_near(y, expected, bound);
  }
}

// f32: each of `in` additions rounds by 2^-24 of a partial sum, and GELU has a slope up to 1.13.
TEST_P(ProductTest, EqualsReferenceAtOddSizes) {
  for (const Element type : {Element::F32, Element::F16, Element::BF16}) {
    for (const Case& test : kCases) {
      const Data data(test, type);
      expect_reference_of_any_team(data, test, RowsPerCall::Few);
      expect_reference_of_any_team(data, test, RowsPerCall::Many);
    }
  }
}

// The product on a unit, with y and, without a norm, x in bf16 as well as in f32.
std::vector<float> half_product(const Data& data, HalfUnit unit, int threads, Element type) {
  Team team(threads);
  const HalfPanels panels = pack_half_panels({&data.weights(), 1}, team);
  std::vector<float> y = data.y();
  Product product = data.product(y);
  std::vector<uint16_t> x16;
  std::vector<uint16_t> y16(y.size());
  to_bf16(y.data(), Element::F32, y16.data(), std::ssize(y));
  if (type == Element::BF16) {
    product.y = {y16.data(), product.y.stride, Element::BF16};
    if (product.norm == nullptr) {
      x16.resize(data.x().size());
      to_bf16(data.x().data(), Element::F32, x16.data(), std::ssize(x16));
      product.x = {x16.data(), product.x.stride, Element::BF16};
    }
  }
  multiply_half_panels(product, panels, unit, team);
  if (type == Element::BF16) to_f32(y16.data(), Element::BF16, y.data(), std::ssize(y));
  return y;
}

// Operands are off by 2^-9 of themselves each, and so are results. Rounding errors are independent:
// a twentieth of the worst case is far beyond any sum of them.
TEST_P(ProductTest, HalfPanelsStayWithinTheirRounding) {
  const std::set<HalfUnit> units = {HalfUnit::Plain, half_unit()};
  for (const Case& test : kHalfCases) {
    const Data data(test, Element::F32);
    std::vector<float> expected = data.y();
    multiply_reference(data.product(expected), data.weights());
    const double bound = data.magnitude() * 0x1p-8 * 1.13 / 4 + 1e-3;
    for (const HalfUnit unit : units) {
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(testing::Message() << test.rows << " rows, " << test.in << " → " << test.out
                                        << ", unit " << static_cast<int>(unit));
        expect_near(half_product(data, unit, threads, Element::F32), expected, bound);
        expect_near(half_product(data, unit, threads, Element::BF16), expected,
                    bound + 0x1p-8 * most_of(expected));
      }
    }
  }
}

// Sums of small whole numbers are exact in every order.
TEST_P(ProductTest, HalfPanelsOfWholeNumbersAreExact) {
  for (const Case& test : kHalfCases) {
    Data data(test, Element::F32);
    data.make_whole();
    std::vector<float> expected = data.y();
    Product product = data.product(expected);
    product.norm = nullptr;
    product.gelu = false;
    multiply_reference(product, data.weights());
    for (const HalfUnit unit : {HalfUnit::Plain, half_unit()}) {
      Team team(2);
      std::vector<float> y = data.y();
      product.y.data = y.data();
      multiply_half_panels(product, pack_half_panels({&data.weights(), 1}, team), unit, team);
      ASSERT_EQ(y, expected) << test.rows << " rows, " << test.in << " → " << test.out;
    }
  }
}

TEST_P(ProductTest, Bf16NeedsAProcessorThatHasIt) {
  Team team(1);
  const Data data(kCases[1], Element::F16);
  const auto pack = [&] {
    return PackedWeights::pack({&data.weights(), 1}, RowsPerCall::Many, Precision::BF16, team);
  };
  if (has_bf16_products()) {
    EXPECT_EQ(pack().input_type(), Element::BF16);
  } else {
    EXPECT_THROW(pack(), Error);
  }
}

TEST_P(ProductTest, StackedPartsAreOneAfterAnother) {
  Team team(2);
  const Data first({4, 80, 20, false, false, false, false}, Element::F16);
  const Data second({4, 80, 37, false, false, false, false}, Element::F16);
  std::vector<float> apart = first.y();
  multiply_reference(first.product(apart), first.weights());
  std::vector<float> y(static_cast<size_t>(4 * 57));
  Product product = first.product(y);
  product.y.stride = 57;
  const std::vector<WeightView> parts = {first.weights(), second.weights()};
  const PackedWeights stacked = PackedWeights::pack(parts, RowsPerCall::Few, Precision::F32, team);
  EXPECT_EQ(stacked.out(), 57);
  stacked.multiply(product, team);
  for (int n = 0; n < 20; ++n)
    EXPECT_NEAR(y[static_cast<size_t>(n)], apart[static_cast<size_t>(n)], 1e-4);
}

TEST_P(ProductTest, RepeatedRunsGiveTheSameBits) {
  const Data data(kCases[8], Element::F16);
  Team team(2);
  const PackedWeights weights =
      PackedWeights::pack({&data.weights(), 1}, RowsPerCall::Many, Precision::F32, team);
  std::vector<float> first = data.y();
  weights.multiply(data.product(first), team);
  for (int i = 0; i < 20; ++i) {
    std::vector<float> again = data.y();
    weights.multiply(data.product(again), team);
    ASSERT_EQ(std::memcmp(again.data(), first.data(), first.size() * sizeof(float)), 0);
  }
}

TEST_P(ProductTest, TouchesNothingBesideItsResults) {
  for (const Case& test : kCases) {
    const Data data(test, Element::F16);
    Team team(2);
    std::vector<float> y = data.y();
    const std::vector<float> before = y;
    Product product = data.product(y);
    product.residual = nullptr;
    PackedWeights::pack({&data.weights(), 1}, RowsPerCall::Few, Precision::F32, team)
        .multiply(product, team);
    for (size_t i = 0; i < y.size(); ++i) {
      if (static_cast<int64_t>(i) % product.y.stride < test.out) continue;
      ASSERT_EQ(y[i], before[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ProductTest, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace whinchat::kernels
