#include "decoding/greedy.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/ops.h>
#include <mlx/random.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "decoding/rules.h"
#include "decoding/sequence.h"
#include "ops/logits.h"

namespace whinchat::decoding {
namespace {

namespace mx = mlx::core;

constexpr int kVocabulary = 8;
constexpr int32_t kEot = 7;

// A model that answers the n-th call with the n-th token of `script`, then with the end of text.
struct ScriptedModel {
  std::vector<int32_t> script;
  std::vector<size_t> lengths;  // of the tokens given, a call each

  ops::Logits operator()(const mx::array& tokens) {
    const size_t call = lengths.size();
    lengths.push_back(static_cast<size_t>(tokens.shape(1)));
    const int32_t next = call < script.size() ? script[call] : kEot;
    std::vector<float> logits(lengths.back() * kVocabulary, 0.0F);
    logits[(lengths.back() - 1) * kVocabulary + static_cast<size_t>(next)] = 9.0F;
    return ops::Logits(mx::array(logits.begin(), {1, tokens.shape(1), kVocabulary}));
  }
};

const std::vector<int32_t>& tokens_of(const Decoded& decoded) {
  return decoded.sequences.at(0).tokens;
}

Decoded decode(ScriptedModel& model, const GreedyOptions& options) {
  const Rules rules({.timestamps = false});
  const std::vector<int32_t> prompt = {5, 6};
  return decode_greedy(std::ref(model), prompt, rules, options);
}

TEST(DecodeGreedy, StopsAtTheEndOfTextAndLeavesItOut) {
  ScriptedModel model{{1, 2, 3}, {}};
  const Sequence sequence = decode(model, {.special = {.eot = kEot}}).sequences.at(0);
  EXPECT_EQ(sequence.tokens, (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(model.lengths, (std::vector<size_t>{2, 1, 1, 1}))
      << "the prompt once, then a token each";
  EXPECT_LT(sequence.sum_logprob, 0.0F);
}

TEST(DecodeGreedy, StopsAtTheTokenLimitAndAtTheContext) {
  ScriptedModel model{std::vector<int32_t>(100, 1), {}};
  EXPECT_EQ(
      tokens_of(decode(model, {.limits = {.max_tokens = 5}, .special = {.eot = kEot}})).size(), 5u);
  ScriptedModel again{std::vector<int32_t>(100, 1), {}};
  EXPECT_EQ(tokens_of(decode(again, {.limits = {.context = 10}, .special = {.eot = kEot}})).size(),
            9u);
  EXPECT_EQ(again.lengths.size(), 9u) << "the model sees at most 10 tokens";
}

TEST(DecodeGreedy, OneStepLateBeginsAStepBeforeItsTokenIsReadAndNeverOneTooMany) {
  ScriptedModel model{{1, 2, 3}, {}};
  EXPECT_EQ(tokens_of(decode(model, {.special = {.eot = kEot}, .one_step_late = true})),
            (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(model.lengths, (std::vector<size_t>{2, 1, 1, 1, 1}))
      << "the end of text is known a step late";
  ScriptedModel limited{std::vector<int32_t>(100, 1), {}};
  EXPECT_EQ(tokens_of(decode(limited, {.limits = {.max_tokens = 5},
                                       .special = {.eot = kEot},
                                       .one_step_late = true}))
                .size(),
            5u);
  EXPECT_EQ(limited.lengths.size(), 5u);
  ScriptedModel full{std::vector<int32_t>(100, 1), {}};
  EXPECT_EQ(tokens_of(decode(full, {.limits = {.context = 10},
                                    .special = {.eot = kEot},
                                    .one_step_late = true}))
                .size(),
            9u);
  EXPECT_EQ(full.lengths.size(), 9u) << "the model sees at most 10 tokens";
}

// What follows a token depends on that token alone, whether the caller has read it or not.
Decoded decode_chain(int seed, bool one_step_late) {
  constexpr int32_t kText = 10;  // text 0…9, the end of text, <|notimestamps|>, times 12…31
  constexpr int kTokens = 32;
  const mx::array table = mx::multiply(
      mx::random::normal({kTokens, kTokens}, mx::random::key(static_cast<uint64_t>(seed))),
      mx::array(3.0F));
  const auto model = [&](const mx::array& tokens) {
    return ops::Logits(mx::take(table, tokens, 0));
  };
  const Rules rules({.suppress_tokens = {3},
                     .blank_tokens = {0, kText},
                     .eot = kText,
                     .no_timestamps = kText + 1,
                     .timestamp_begin = kText + 2});
  const std::vector<int32_t> prompt = {5, 6};
  return decode_greedy(model, prompt, rules,
                       {.limits = {.max_tokens = 20, .context = 24},
                        .special = {.eot = kText, .no_speech = 4},
                        .one_step_late = one_step_late});
}

TEST(DecodeGreedy, IsTheSameOneStepLate) {
  size_t tokens = 0;
  for (int seed = 0; seed < 50; ++seed) {
    const Decoded at_once = decode_chain(seed, false);
    const Decoded late = decode_chain(seed, true);
    EXPECT_EQ(tokens_of(late), tokens_of(at_once)) << "seed " << seed;
    EXPECT_EQ(late.sequences.at(0).sum_logprob, at_once.sequences.at(0).sum_logprob)
        << "seed " << seed;
    EXPECT_EQ(late.no_speech_prob, at_once.no_speech_prob) << "seed " << seed;
    tokens += tokens_of(at_once).size();
  }
  EXPECT_GT(tokens, 200u);
}

TEST(DecodeGreedy, ReportsNoSpeechFromTheStartToken) {
  ScriptedModel model{{1}, {}};
  const Decoded decoded = decode(model, {.special = {.eot = kEot, .sot_index = 0, .no_speech = 4}});
  EXPECT_FLOAT_EQ(decoded.no_speech_prob, 1.0F / kVocabulary);
}

}  // namespace
}  // namespace whinchat::decoding
