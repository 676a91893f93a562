#include "ops/choose.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/transforms.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace whinchat::ops {
namespace {

// Vocabulary of 6: text 0…3, timestamps 4 and 5.
int token_of(const std::vector<float>& logits, const LogitMask& mask) {
  Choice choice = choose_greedy(mx::array(logits.begin(), {1, 6}), {&mask, 1});
  mx::eval(choice.token, choice.logprob);
  EXPECT_TRUE(std::isfinite(choice.logprob.item<float>()));
  return choice.token.item<int>();
}

TEST(ChooseGreedy, TakesTheLikeliestAllowedToken) {
  const std::vector<float> logits = {0.0F, 5.0F, 4.0F, 3.0F, -9.0F, -9.0F};
  EXPECT_EQ(token_of(logits, {}), 1);
  const std::vector<int32_t> suppressed = {1};
  EXPECT_EQ(token_of(logits, {.suppressed = suppressed}), 2);
  EXPECT_EQ(token_of(logits, {.suppressed = suppressed, .forbidden = {{2, 3}}}), 3);
}

TEST(ChooseGreedy, ClipsRangesToTheVocabularyAndIgnoresEmptyOnes) {
  const std::vector<float> logits = {0.0F, 5.0F, 4.0F, 3.0F, -9.0F, -9.0F};
  EXPECT_EQ(token_of(logits, {.forbidden = {{1, 100}, {5, 2}, {0, 0}}}), 0);
}

TEST(ChooseGreedy, PrefersTimestampsThatTogetherBeatTheBestText) {
  const std::vector<float> logits = {1.0F, 2.0F, 0.0F, 0.0F, 1.5F, 1.4F};
  EXPECT_EQ(token_of(logits, {}), 1);
  EXPECT_EQ(token_of(logits, {.timestamp_begin = 4}), 4);
}

TEST(ChooseGreedy, LeavesTextWhenTimestampsAreForbidden) {
  const std::vector<float> logits = {1.0F, 2.0F, 0.0F, 0.0F, 9.0F, 9.0F};
  EXPECT_EQ(token_of(logits, {.forbidden = {{4, 6}}, .timestamp_begin = 4}), 1);
}

TEST(ChooseGreedy, ReportsTheLogProbabilityAmongAllowedTokens) {
  const std::vector<float> logits = {0.0F, 0.0F, 7.0F, 7.0F, 7.0F, 7.0F};
  const LogitMask mask{.forbidden = {{2, 6}}};
  Choice choice = choose_greedy(mx::array(logits.begin(), {1, 6}), {&mask, 1});
  mx::eval(choice.logprob);
  EXPECT_FLOAT_EQ(choice.logprob.item<float>(), -std::log(2.0F));
}

TEST(ChooseGreedy, PenalisesRepeatedTokensOfEachRow) {
  const std::vector<float> logits = {3.0F, 4.0F, -3.0F, -4.0F, -9.0F, -9.0F};
  EXPECT_EQ(token_of(logits, {.repeated = {1}, .repetition_penalty = 2.0F}), 0);
  EXPECT_EQ(token_of(logits, {.repeated = {1}, .repetition_penalty = 1.0F}), 1);
  std::vector<float> below = {-5.0F, -4.0F, -6.0F, -7.0F, -9.0F, -9.0F};
  EXPECT_EQ(token_of(below, {.repeated = {1}, .repetition_penalty = 2.0F}), 0);
  below.insert(below.end(), logits.begin(), logits.end());
  const std::vector<LogitMask> masks = {{.repeated = {1}, .repetition_penalty = 2.0F}, {}};
  Choice choice = choose_greedy(mx::array(below.begin(), {2, 6}), masks);
  mx::eval(choice.token);
  EXPECT_EQ(choice.token.data<int32_t>()[0], 0);
  EXPECT_EQ(choice.token.data<int32_t>()[1], 1);
}

TEST(ProbabilityOf, IsTheSoftmaxOfUnfilteredLogits) {
  const std::vector<float> logits = {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.0F};
  mx::array probability = probability_of(mx::array(logits.begin(), {1, 6}), 3);
  mx::eval(probability);
  EXPECT_FLOAT_EQ(probability.item<float>(), 1.0F / 6.0F);
}

}  // namespace
}  // namespace whinchat::ops
