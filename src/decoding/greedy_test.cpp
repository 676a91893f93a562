#include "decoding/greedy.h"

#include <gtest/gtest.h>
#include <mlx/array.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "decoding/rules.h"
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

  ops::Logits operator()(std::span<const int32_t> tokens) {
    const size_t call = lengths.size();
    lengths.push_back(tokens.size());
    const int32_t next = call < script.size() ? script[call] : kEot;
    std::vector<float> logits(tokens.size() * kVocabulary, 0.0F);
    logits[(tokens.size() - 1) * kVocabulary + static_cast<size_t>(next)] = 9.0F;
    return ops::Logits(
        mx::array(logits.begin(), {1, static_cast<int>(tokens.size()), kVocabulary}));
  }
};

Sequence decode(ScriptedModel& model, const GreedyOptions& options) {
  const Rules rules({.timestamps = false});
  const std::vector<int32_t> prompt = {5, 6};
  return decode_greedy(std::ref(model), prompt, rules, options);
}

TEST(DecodeGreedy, StopsAtTheEndOfTextAndLeavesItOut) {
  ScriptedModel model{{1, 2, 3}, {}};
  const Sequence sequence = decode(model, {.eot = kEot});
  EXPECT_EQ(sequence.tokens, (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(model.lengths, (std::vector<size_t>{2, 1, 1, 1}))
      << "the prompt once, then a token each";
  EXPECT_LT(sequence.sum_logprob, 0.0F);
}

TEST(DecodeGreedy, StopsAtTheTokenLimitAndAtTheContext) {
  ScriptedModel model{std::vector<int32_t>(100, 1), {}};
  EXPECT_EQ(decode(model, {.max_tokens = 5, .eot = kEot}).tokens.size(), 5u);
  ScriptedModel again{std::vector<int32_t>(100, 1), {}};
  EXPECT_EQ(decode(again, {.context = 10, .eot = kEot}).tokens.size(), 9u);
  EXPECT_EQ(again.lengths.size(), 9u) << "the model sees at most 10 tokens";
}

TEST(DecodeGreedy, ReportsNoSpeechFromTheStartToken) {
  ScriptedModel model{{1}, {}};
  const Sequence sequence = decode(model, {.eot = kEot, .sot_index = 0, .no_speech = 4});
  EXPECT_FLOAT_EQ(sequence.no_speech_prob, 1.0F / kVocabulary);
}

}  // namespace
}  // namespace whinchat::decoding
