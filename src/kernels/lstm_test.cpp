#include "kernels/lstm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/isa.h"
#include "kernels/team.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

class LstmTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

std::vector<float> random_values(size_t count, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, spread);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// A cell and what it is given; the state begins with random values.
struct Course {
  explicit Course(int width, int64_t steps, float spread = 2.0F)
      : cell(width, random_values(size_t(4) * width * width, 1.0F / std::sqrt(float(width)), 1)),
        inputs(random_values(size_t(4) * width * steps, spread, 2)),
        h(random_values(size_t(width), 0.3F, 3)),
        c(random_values(size_t(width), 1.0F, 4)),
        out(size_t(width) * steps),
        steps(steps) {}

  Lstm cell;
  std::vector<float> inputs, h, c, out;
  int64_t steps;
  Arena arena;

  Lstm::State state() { return {h.data(), c.data()}; }
  void go(int64_t begin, int64_t end) {
    const auto width = static_cast<size_t>(cell.width());
    const auto first = static_cast<size_t>(begin);
    cell.run(inputs.data() + 4 * width * first, end - begin, state(), out.data() + width * first,
             arena);
  }
};

// A step's rounding errors shrink in the next ones: the gates' slopes are below 1.
TEST_P(LstmTest, EqualsTheReference) {
  for (const int width : {32, 64, 128, 160}) {
    Course run(width, 40);
    Course expected(width, 40);
    run.go(0, run.steps);
    expected.cell.run_reference(expected.inputs.data(), expected.steps, expected.state(),
                                expected.out.data());
    for (size_t i = 0; i < run.out.size(); ++i) ASSERT_NEAR(run.out[i], expected.out[i], 5e-6);
    for (size_t i = 0; i < run.h.size(); ++i) {
      ASSERT_NEAR(run.h[i], expected.h[i], 5e-6);
      ASSERT_NEAR(run.c[i], expected.c[i], 1e-5);
    }
  }
}

TEST_P(LstmTest, GivesTheSameBitsInPieces) {
  Course whole(64, 30);
  Course pieces(64, 30);
  whole.go(0, 30);
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 1}, {1, 8}, {8, 30}}) {
    pieces.go(begin, end);
  }
  EXPECT_EQ(pieces.out, whole.out);
  EXPECT_EQ(pieces.h, whole.h);
  EXPECT_EQ(pieces.c, whole.c);
}

TEST_P(LstmTest, StaysFiniteWhateverItIsGiven) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Course run(32, 8, 1000.0F);
  run.inputs[3] = std::numeric_limits<float>::quiet_NaN();
  run.inputs[40] = kInfinity;
  run.inputs[80] = -kInfinity;
  run.go(0, run.steps);
  EXPECT_TRUE(std::ranges::all_of(run.out, [](float value) { return std::abs(value) <= 1; }));
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, LstmTest, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(Lstm, RefusesOtherSizes) {
  EXPECT_THROW(Lstm(16, std::vector<float>(size_t{4} * 16 * 16)), Error);
  EXPECT_THROW(Lstm(32, std::vector<float>(size_t{4} * 32 * 31)), Error);
}

}  // namespace
}  // namespace whinchat::kernels
