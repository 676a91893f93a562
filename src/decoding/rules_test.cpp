#include "decoding/rules.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "ops/choose.h"

namespace whinchat::decoding {
namespace {

// A vocabulary of text 0…9, end of text 10, <|notimestamps|> 11, times 12…21.
constexpr int32_t kEot = 10;
constexpr int32_t kNoTimestamps = 11;
constexpr int32_t kBegin = 12;
constexpr int32_t kVocabulary = 22;

RuleOptions options() {
  return {.suppress_tokens = {3},
          .blank_tokens = {0, kEot},
          .eot = kEot,
          .no_timestamps = kNoTimestamps,
          .timestamp_begin = kBegin};
}

std::set<int32_t> allowed(const RuleOptions& options, const std::vector<int32_t>& sampled) {
  const Rules rules(options);
  const ops::LogitMask mask = rules.mask(sampled);
  std::set<int32_t> tokens;
  for (int32_t token = 0; token < kVocabulary; ++token) tokens.insert(token);
  for (const int32_t token : mask.suppressed) tokens.erase(token);
  for (const ops::TokenRange& range : mask.forbidden) {
    for (int32_t token = 0; token < kVocabulary; ++token) {
      if (token >= range.begin && token < range.end) tokens.erase(token);
    }
  }
  return tokens;
}

std::set<int32_t> range(int32_t begin, int32_t end) {
  std::set<int32_t> tokens;
  for (int32_t token = begin; token < end; ++token) tokens.insert(token);
  return tokens;
}

TEST(Rules, BeginWithATimestamp) { EXPECT_EQ(allowed(options(), {}), range(kBegin, kVocabulary)); }

TEST(Rules, LimitTheFirstTimestamp) {
  RuleOptions limited = options();
  limited.max_initial_timestamp = 2;
  EXPECT_EQ(allowed(limited, {}), range(kBegin, kBegin + 3));
}

TEST(Rules, WantTextAfterTheOpeningTimestamp) {
  EXPECT_EQ(allowed(options(), {12}), (std::set<int32_t>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(Rules, LetTimeNeitherStandStillNorGoBack) {
  std::set<int32_t> expected = {0, 1, 2, 4, 5, 6, 7, 8, 9, 10};
  expected.merge(range(16, kVocabulary));
  EXPECT_EQ(allowed(options(), {15, 1}), expected);
}

TEST(Rules, WantASecondTimestampOrTheEndAfterAClosingOne) {
  std::set<int32_t> expected = range(17, kVocabulary);
  expected.insert(kEot);
  EXPECT_EQ(allowed(options(), {12, 1, 17}), expected) << "a segment may start where one ended";
}

TEST(Rules, WantTextAfterAPairOfTimestamps) {
  EXPECT_EQ(allowed(options(), {12, 1, 17, 17}),
            (std::set<int32_t>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(Rules, WeighTimestampsAgainstTextOnlyWhenTimestampsAreOn) {
  RuleOptions without = options();
  EXPECT_EQ(Rules(without).mask({}).timestamp_begin, kBegin);
  without.timestamps = false;
  EXPECT_LT(Rules(without).mask({}).timestamp_begin, 0);
  EXPECT_FALSE(allowed(without, {}).contains(0)) << "a blank may not come first";
  EXPECT_TRUE(allowed(without, {1}).contains(0));
}

TEST(Rules, PenaliseTextThatWasChosenOnceEach) {
  RuleOptions penalised = options();
  penalised.repetition_penalty = 1.5;
  const Rules rules(penalised);
  const ops::LogitMask mask = rules.mask(std::vector<int32_t>{12, 5, 1, 5, 14, 14, 2});
  EXPECT_EQ(mask.repeated, (std::vector<int32_t>{1, 2, 5})) << "no times";
  EXPECT_EQ(mask.repetition_penalty, 1.5F);
  EXPECT_TRUE(Rules(options()).mask(std::vector<int32_t>{12, 5}).repeated.empty());
}

// Without the rules of timestamps: what repetition alone forbids.
std::set<int32_t> forbidden_after(int ngram_size, const std::vector<int32_t>& sampled) {
  RuleOptions plain = options();
  plain.timestamps = false;
  plain.no_repeat_ngram_size = ngram_size;
  std::set<int32_t> tokens = allowed(plain, sampled);
  std::set<int32_t> forbidden;
  for (const int32_t token : range(0, kEot)) {
    if (!tokens.contains(token) && token != 3) forbidden.insert(token);  // 3 is suppressed
  }
  return forbidden;
}

TEST(Rules, ForbidTheEndOfARunOfTokensThatIsThereAlready) {
  EXPECT_EQ(forbidden_after(0, {1, 2, 1, 2, 1}), std::set<int32_t>());
  EXPECT_EQ(forbidden_after(1, {1, 2}), (std::set<int32_t>{1, 2}));
  EXPECT_EQ(forbidden_after(2, {1, 2, 4, 1, 5, 1}), (std::set<int32_t>{2, 5}));
  EXPECT_EQ(forbidden_after(3, {1, 2, 4, 1, 2}), (std::set<int32_t>{4}));
  EXPECT_EQ(forbidden_after(3, {1, 2, 4, 2}), std::set<int32_t>());
  EXPECT_EQ(forbidden_after(4, {1, 2, 4}), std::set<int32_t>()) << "shorter than a run";
  EXPECT_EQ(forbidden_after(2, {1, 1}), (std::set<int32_t>{1}));
}

TEST(Rules, FindRepetitionAcrossTimestamps) {
  EXPECT_EQ(forbidden_after(3, {12, 1, 2, 4, 14, 14, 1, 2}), (std::set<int32_t>{4}));
  EXPECT_EQ(forbidden_after(2, {12, 1, 14, 14, 1, 15, 15}), (std::set<int32_t>{1}));
}

}  // namespace
}  // namespace whinchat::decoding
