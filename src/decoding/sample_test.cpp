#include "decoding/sample.h"

#include <gtest/gtest.h>
#include <mlx/array.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoding/rules.h"
#include "decoding/sequence.h"
#include "ops/logits.h"

namespace whinchat::decoding {
namespace {

namespace mx = mlx::core;

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr int kVocabulary = 6;
constexpr int32_t kEot = 5;

TEST(Draw, TakesEachTokenAsOftenAsItIsLikely) {
  const std::vector<float> logprobs = {kNever, std::log(0.5F), std::log(0.3F),
                                       kNever, std::log(0.2F), kNever};
  std::map<int32_t, int> counts;
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) ++counts[draw(logprobs, 1.0, (i + 0.5) / kDraws)];
  EXPECT_EQ(counts, (std::map<int32_t, int>{{1, 5000}, {2, 3000}, {4, 2000}}));
}

TEST(Draw, SharpensAtALowTemperatureAndFlattensAtAHighOne) {
  const std::vector<float> logprobs = {std::log(0.6F), std::log(0.4F)};
  // p^(1 / t): 0.6^5 / (0.6^5 + 0.4^5) = 0.884; at 4 it is 0.525.
  EXPECT_EQ(draw(logprobs, 0.2, 0.883), 0);
  EXPECT_EQ(draw(logprobs, 0.2, 0.885), 1);
  EXPECT_EQ(draw(logprobs, 4.0, 0.524), 0);
  EXPECT_EQ(draw(logprobs, 4.0, 0.527), 1);
  EXPECT_EQ(draw(logprobs, 1e-9, 0.999), 0) << "nearly greedy, and no sum underflows";
}

TEST(Draw, NeverTakesWhatIsForbiddenAtTheEnds) {
  const std::vector<float> logprobs = {kNever, -2000.0F, kNever};
  EXPECT_EQ(draw(logprobs, 1.0, 0.0), 1);
  EXPECT_EQ(draw(logprobs, 1.0, std::nextafter(1.0, 0.0)), 1);
}

// Every token is as likely as any other; a row's logits name the row, so that mixing rows shows.
class UniformModel {
 public:
  LogitSource source() {
    return {.logits_of = [this](const mx::array& tokens) { return logits_of(tokens); },
            .take_rows =
                [this](std::span<const int> rows) {
                  std::vector<std::vector<int32_t>> taken;
                  for (const int row : rows) taken.push_back(rows_.at(static_cast<size_t>(row)));
                  rows_ = std::move(taken);
                }};
  }
  const std::vector<size_t>& batches() const { return batches_; }
  const std::vector<std::vector<int32_t>>& rows() const { return rows_; }

 private:
  ops::Logits logits_of(const mx::array& tokens) {
    const auto batch = static_cast<size_t>(tokens.shape(0));
    const auto length = static_cast<size_t>(tokens.shape(1));
    rows_.resize(batch);
    for (size_t i = 0; i < batch * length; ++i) {
      rows_[i / length].push_back(tokens.data<int32_t>()[i]);
    }
    batches_.push_back(batch);
    const std::vector<float> same(batch * length * kVocabulary, 0.0F);
    return ops::Logits(mx::array(same.begin(), {tokens.shape(0), tokens.shape(1), kVocabulary}));
  }

  std::vector<std::vector<int32_t>> rows_;
  std::vector<size_t> batches_;
};

Decoded sample(UniformModel& model, uint64_t seed, int best_of = 5) {
  const std::vector<int32_t> prompt = {3, 4};
  return decode_samples(model.source(), prompt, Rules({.timestamps = false}),
                        {.limits = {.max_tokens = 30, .context = 40},
                         .special = {.eot = kEot},
                         .best_of = best_of,
                         .seed = seed});
}

std::vector<std::vector<int32_t>> tokens_of(const Decoded& decoded) {
  std::vector<std::vector<int32_t>> tokens;
  tokens.reserve(decoded.sequences.size());
  for (const Sequence& sequence : decoded.sequences) tokens.push_back(sequence.tokens);
  return tokens;
}

TEST(DecodeSamples, TheSameSeedGivesTheSameTextsAndZeroIsASeed) {
  std::vector<std::vector<std::vector<int32_t>>> texts;
  for (const uint64_t seed : {0U, 1U, 2U}) {
    UniformModel model;
    UniformModel again;
    texts.push_back(tokens_of(sample(model, seed)));
    EXPECT_EQ(tokens_of(sample(again, seed)), texts.back());
  }
  EXPECT_NE(texts[0], texts[1]);
  EXPECT_NE(texts[1], texts[2]);
}

TEST(DecodeSamples, ARowDrawsTheSameWhateverStandsBesideIt) {
  UniformModel five;
  UniformModel two;
  const auto texts = tokens_of(sample(five, 7, 5));
  const auto first = tokens_of(sample(two, 7, 2));
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0], texts[0]);
  EXPECT_EQ(first[1], texts[1]);
  EXPECT_NE(texts[0], texts[1]);
}

TEST(DecodeSamples, ReadsThePromptOnceAndLeavesRowsThatEnded) {
  UniformModel model;
  const Decoded decoded = sample(model, 3);
  EXPECT_EQ(model.batches().front(), 1u) << "the prompt is one row";
  EXPECT_GT(model.batches().at(1), 1u);
  EXPECT_LE(model.batches().at(1), 5u);
  for (size_t i = 2; i < model.batches().size(); ++i) {
    EXPECT_LE(model.batches()[i], model.batches()[i - 1]);
  }
  EXPECT_LT(model.batches().back(), 5u);
  size_t longest = 0;
  for (size_t i = 0; i < decoded.sequences.size(); ++i) {
    const Sequence& sequence = decoded.sequences[i];
    if (sequence.tokens.size() > decoded.sequences[longest].tokens.size()) longest = i;
    const auto drawn = static_cast<float>(sequence.tokens.size() + 1);
    EXPECT_NEAR(sequence.sum_logprob, -drawn * std::log(float{kVocabulary}), 1e-4F);
  }
  std::vector<int32_t> seen = {3, 4};
  const std::vector<int32_t>& tokens = decoded.sequences[longest].tokens;
  seen.insert(seen.end(), tokens.begin(), tokens.end());
  EXPECT_EQ(model.rows().front(), seen) << "the row that went on longest kept its own context";
}

TEST(Likeliest, WeighsByLengthOrByItsPenalty) {
  const std::vector<Sequence> sequences = {{{1, 2}, -1.0F}, {{1, 2, 3, 4}, -1.6F}, {{}, -0.1F}};
  EXPECT_EQ(&likeliest(sequences, std::nullopt), &sequences[1]) << "-0.5 against -0.4";
  EXPECT_EQ(&likeliest(sequences, 0.0), &sequences[2]) << "plain sums";
  EXPECT_EQ(&likeliest(std::span(sequences).first(2), 0.0), &sequences[0]);
  EXPECT_EQ(&likeliest(std::span(sequences).last(1), std::nullopt), &sequences[2])
      << "no text is a text";
}

}  // namespace
}  // namespace whinchat::decoding
