#include "kernels/choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/isa.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr double kUnit = 0x1p-24;  // of rounding to f32

constexpr std::array<size_t, 10> kSizes = {1, 2, 7, 8, 9, 63, 65, 257, 1500, 51865};

std::vector<float> random_logits(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(-2.0F, 6.0F);
  std::vector<float> logits(size);
  for (float& logit : logits) logit = normal(random);
  return logits;
}

// Of log Σ exp: each term carries exp's 2^-22 and its argument's rounding, sums add chains of at
// most 16 terms and the lanes; in the end all is rounded once.
double bound_of(std::span<const float> logits) {
  const double total = log_sum_exp_reference(logits);
  const float greatest = *std::ranges::max_element(logits);
  double argument = 0;
  for (const float logit : logits) {
    if (logit != kNever) argument += std::exp(logit - total) * (greatest - logit) * kUnit;
  }
  return 0x1p-22 + 24 * kUnit + argument;
}

void expect_equal(const Chosen& got, const Chosen& expected, double bound) {
  EXPECT_EQ(got.token, expected.token);
  if (std::isfinite(expected.logprob)) {
    EXPECT_NEAR(got.logprob, expected.logprob, bound + 2 * kUnit * std::abs(expected.logprob));
  } else {
    EXPECT_EQ(std::isnan(got.logprob), std::isnan(expected.logprob));
    EXPECT_EQ(got.logprob > 0, expected.logprob > 0);
  }
}

class ChooseTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }
};

TEST_P(ChooseTest, LikeliestEqualsReferenceAtOddSizes) {
  for (const size_t size : kSizes) {
    const std::vector<float> logits = random_logits(size, 1);
    expect_equal(choose_likeliest(logits), choose_likeliest_reference(logits), bound_of(logits));
  }
}

TEST_P(ChooseTest, LikeliestIsTheLowestOfEqualsWhereverTheyLie) {
  for (const size_t size : kSizes) {
    for (size_t first = 0; first < size; first += size / 5 + 1) {
      std::vector<float> logits = random_logits(size, 2);
      logits[first] = 100;
      logits[size - 1] = 100;
      EXPECT_EQ(choose_likeliest(logits).token, static_cast<int32_t>(first));
    }
  }
}

TEST_P(ChooseTest, NaNIsNeverChosenAndShowsInTheLogProbability) {
  for (const size_t size : {2UL, 9UL, 257UL}) {
    for (size_t at = 0; at < size; ++at) {
      std::vector<float> logits = random_logits(size, 3);
      logits[at] = kNaN;
      const Chosen chosen = choose_likeliest(logits);
      EXPECT_EQ(chosen.token, choose_likeliest_reference(logits).token);
      EXPECT_TRUE(std::isnan(chosen.logprob));
    }
  }
}

TEST_P(ChooseTest, NothingAllowedGivesToken0AndNaN) {
  for (const size_t size : {1UL, 8UL, 51865UL}) {
    const std::vector<float> logits(size, kNever);
    EXPECT_EQ(choose_likeliest(logits).token, 0);
    EXPECT_TRUE(std::isnan(choose_likeliest(logits).logprob));
    EXPECT_EQ(log_sum_exp(logits), kNever);
  }
  EXPECT_EQ(log_sum_exp({}), kNever);
}

TEST_P(ChooseTest, LogSumExpStaysWithinTheBoundOfTheReference) {
  for (const size_t size : kSizes) {
    std::vector<float> logits = random_logits(size, 4);
    if (size > 8) logits[5] = kNever;
    const double expected = log_sum_exp_reference(logits);
    EXPECT_NEAR(log_sum_exp(logits), expected, bound_of(logits) + kUnit * std::abs(expected));
  }
  const std::vector<float> equal(51865, -3.0F);  // many equal terms: their rounding adds up
  EXPECT_NEAR(log_sum_exp(equal), log_sum_exp_reference(equal), bound_of(equal) + 8 * kUnit);
}

TEST_P(ChooseTest, TopKEqualsReferenceAtOddSizes) {
  for (const size_t size : kSizes) {
    std::vector<float> logits = random_logits(size, 5);
    if (size > 60) logits[3] = logits[size - 1] = *std::ranges::max_element(logits);
    if (size > 60) logits[size / 2] = kNever;
    for (const size_t k : {0UL, 1UL, 2UL, 6UL, 64UL}) {
      if (k > size) continue;
      std::vector<Chosen> best(k);
      std::vector<Chosen> expected(k);
      choose_top_k(logits, best);
      choose_top_k_reference(logits, expected);
      for (size_t i = 0; i < k; ++i) expect_equal(best[i], expected[i], bound_of(logits));
    }
  }
}

TEST_P(ChooseTest, TopKOfRisingLogitsAreTheLastOnes) {
  std::vector<float> logits(1001);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i);
  std::vector<Chosen> best(64);
  choose_top_k(logits, best);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(best[static_cast<size_t>(i)].token, 1000 - i);
}

TEST_P(ChooseTest, TopKTakesForbiddenOnesAndNaNLastInTheirOrder) {
  std::vector<float> logits(100, kNever);
  logits[70] = 1;
  logits[90] = 2;
  std::vector<Chosen> best(4);
  std::vector<Chosen> expected(4);
  choose_top_k(logits, best);
  choose_top_k_reference(logits, expected);
  for (size_t i = 0; i < 4; ++i) expect_equal(best[i], expected[i], 4 * kUnit);
  EXPECT_EQ(best[2].token, 0);

  logits[0] = logits[95] = kNaN;
  choose_top_k(logits, best);
  EXPECT_EQ(best[0].token, 90);
  EXPECT_EQ(best[1].token, 70);
  EXPECT_EQ(best[2].token, 0);
  EXPECT_EQ(best[3].token, 1);
}

TEST_P(ChooseTest, TopKRefusesMoreThanThereAre) {
  const std::vector<float> logits(3);
  std::vector<Chosen> best(4);
  EXPECT_THROW(choose_top_k(logits, best), Error);
}

TEST_P(ChooseTest, FiltersEqualReference) {
  const std::vector<int32_t> suppressed = {0, 3, 50257, 51864, 220};
  const std::vector<IdRange> forbidden = {{50358, 50363}, {51000, 60000}, {7, 7}, {9, 2}};
  const std::vector<int32_t> repeated = {1, 3, 500, 30000, 50364};
  for (const int32_t timestamp_begin : {-1, 0, 50364, 51865}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      std::vector<float> logits = random_logits(51865, seed);
      // Makes either side win in turn.
      for (size_t i = 50364; i < logits.size(); ++i) logits[i] += static_cast<float>(seed) - 2.0F;
      std::vector<float> expected = logits;
      const LogitFilters filters{suppressed, forbidden, timestamp_begin, {repeated, 1.3F}};
      apply_filters(filters, logits);
      apply_filters_reference(filters, expected);
      ASSERT_EQ(logits, expected) << timestamp_begin << ' ' << seed;
    }
  }
}

// Text 0…3, timestamps 4 and 5.
std::vector<float> filtered(std::vector<float> logits, const LogitFilters& filters) {
  apply_filters(filters, logits);
  return logits;
}

TEST_P(ChooseTest, TextGoesWhereTimestampsTogetherBeatItsBest) {
  const std::vector<float> logits = {1.0F, 2.0F, 0.0F, 0.0F, 1.5F, 1.4F};
  EXPECT_EQ(filtered(logits, {}), logits);
  EXPECT_EQ(filtered(logits, {.timestamp_begin = 4}),
            (std::vector<float>{kNever, kNever, kNever, kNever, 1.5F, 1.4F}));
}

TEST_P(ChooseTest, TextStaysWhereTimestampsDrawWithItOrAreForbidden) {
  const std::vector<float> draw = {1.0F, 2.0F, 0.0F, 0.0F, 2.0F, kNever};
  EXPECT_EQ(filtered(draw, {.timestamp_begin = 4}), draw);
  const std::vector<float> logits = {1.0F, 2.0F, 0.0F, 0.0F, 9.0F, 9.0F};
  const std::vector<IdRange> none = {{4, 6}};
  EXPECT_EQ(filtered(logits, {.forbidden = none, .timestamp_begin = 4}),
            (std::vector<float>{1.0F, 2.0F, 0.0F, 0.0F, kNever, kNever}));
}

TEST_P(ChooseTest, TheRuleOfTimestampsSeesOnlyAllowedText) {
  const std::vector<float> logits = {1.0F, 9.0F, 0.0F, 0.0F, 1.5F, 1.4F};
  const std::vector<int32_t> suppressed = {1};
  const std::vector<float> left =
      filtered(logits, {.suppressed = suppressed, .timestamp_begin = 4});
  EXPECT_EQ(choose_likeliest(left).token, 4);
}

TEST_P(ChooseTest, RepeatedIdsAreDividedWhereTheyAreNotBelow0AndMultipliedWhereTheyAre) {
  const std::vector<float> logits = {3.0F, -3.0F, 0.0F, kNever, kNaN, 8.0F};
  const std::vector<int32_t> ids = {0, 1, 2, 3, 4};
  const std::vector<float> left = filtered(logits, {.repetition = {ids, 1.5F}});
  EXPECT_EQ(std::vector<float>(left.begin(), left.begin() + 4),
            (std::vector<float>{2.0F, -4.5F, 0.0F, kNever}));
  EXPECT_TRUE(std::isnan(left[4]));
  EXPECT_EQ(left[5], 8.0F) << "not repeated";
}

TEST_P(ChooseTest, TheRuleOfTimestampsSeesPenalisedText) {
  const std::vector<float> logits = {1.0F, 4.0F, 0.0F, 0.0F, 1.5F, 1.4F};
  EXPECT_EQ(choose_likeliest(filtered(logits, {.timestamp_begin = 4})).token, 1);
  const std::vector<int32_t> ids = {1};
  const LogitFilters penalised{.timestamp_begin = 4, .repetition = {ids, 2.0F}};
  EXPECT_EQ(choose_likeliest(filtered(logits, penalised)).token, 4);
}

TEST_P(ChooseTest, FiltersRefuseIdsOutsideOfTheRow) {
  std::vector<float> logits(6);
  for (const int32_t id : {-1, 6}) {
    const std::vector<int32_t> suppressed = {id};
    EXPECT_THROW(apply_filters({.suppressed = suppressed}, logits), Error);
    EXPECT_THROW(apply_filters({.repetition = {suppressed, 2.0F}}, logits), Error);
  }
  const std::vector<IdRange> forbidden = {{-1, 2}};
  EXPECT_THROW(apply_filters({.forbidden = forbidden}, logits), Error);
}

TEST_P(ChooseTest, EveryRunGivesTheSameBits) {
  const std::vector<float> logits = random_logits(51865, 6);
  const Chosen first = choose_likeliest(logits);
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(choose_likeliest(logits).token, first.token);
    EXPECT_EQ(choose_likeliest(logits).logprob, first.logprob);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, ChooseTest, testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace whinchat::kernels
