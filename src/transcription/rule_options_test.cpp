#include "transcription/rule_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/whisper_tokenizer.h"
#include "whinchat/error.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

const text::WhisperTokenizer& tokenizer() {
  static const text::WhisperTokenizer kMultilingual(51865);
  return kMultilingual;
}

std::vector<int32_t> suppressed(const TranscribeOptions& options) {
  return rule_options(tokenizer(), options, /*timestamps=*/true).suppress_tokens;
}

std::string refusal(const TranscribeOptions& options) {
  try {
    suppressed(options);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::BadInput ? error.what() : "another kind";
  }
  return "";
}

constexpr std::array<int32_t, 6> kSpecial = {50258, 50358, 50359, 50360, 50361, 50362};

std::vector<int32_t> with_special(std::vector<int32_t> tokens) {
  tokens.insert(tokens.end(), kSpecial.begin(), kSpecial.end());
  return tokens;
}

TEST(RuleOptions, SuppressNonSpeechTokensWhereMinus1AsksForThem) {
  EXPECT_EQ(suppressed({}), with_special(tokenizer().non_speech_tokens()));
  EXPECT_EQ(suppressed({.suppress_tokens = {}}), with_special({}));
  EXPECT_EQ(suppressed({.suppress_tokens = {13, 11}}), with_special({11, 13}));
  std::vector<int32_t> both = tokenizer().non_speech_tokens();
  both.push_back(50000);
  std::ranges::sort(both);
  EXPECT_EQ(suppressed({.suppress_tokens = {50000, -1}}), with_special(both));
}

TEST(RuleOptions, SuppressTextThatAPatternMatches) {
  const std::vector<int32_t> digits =
      suppressed({.suppress_tokens = {}, .suppress_regex = " ?[0-9]+"});
  EXPECT_TRUE(std::ranges::binary_search(digits, tokenizer().encode(" 1").at(0)));
  EXPECT_TRUE(std::ranges::binary_search(digits, tokenizer().encode("2").at(0)));
  EXPECT_FALSE(std::ranges::binary_search(digits, tokenizer().encode("a").at(0)));
  const std::vector<int32_t> all = suppressed({.suppress_regex = "(?s-u).*"});
  EXPECT_EQ(all.size(), 50257 + kSpecial.size()) << "special tokens are no text";
  EXPECT_EQ(refusal({.suppress_regex = "["}),
            "suppress-regex: expected a regular expression, got [: unclosed character class");
}

TEST(RuleOptions, RefuseToSuppressWhatEveryTextNeeds) {
  EXPECT_EQ(refusal({.suppress_tokens = {50257}}),
            "suppress-tokens: expected tokens that a text can do without, got 50257, which is "
            "<|endoftext|>");
  EXPECT_EQ(refusal({.suppress_tokens = {50364}}),
            "suppress-tokens: expected tokens that a text can do without, got 50364, which is "
            "<|0.00|>");
  EXPECT_EQ(refusal({.suppress_tokens = {51865}}),
            "suppress-tokens: expected -1 or tokens below 51865, got 51865");
  EXPECT_EQ(refusal({.suppress_tokens = {-2}}),
            "suppress-tokens: expected -1 or tokens below 51865, got -2");
}

TEST(RuleOptions, CarryTheOtherConstraints) {
  const decoding::RuleOptions plain = rule_options(tokenizer(), {}, /*timestamps=*/true);
  EXPECT_EQ(plain.blank_tokens, (std::vector<int32_t>{220, 50257}));
  EXPECT_EQ(plain.max_initial_timestamp, 50);
  EXPECT_TRUE(plain.timestamps);
  const decoding::RuleOptions rules = rule_options(tokenizer(),
                                                   {.max_initial_timestamp = 0.5,
                                                    .suppress_blank = false,
                                                    .repetition_penalty = 1.5,
                                                    .no_repeat_ngram_size = 3},
                                                   /*timestamps=*/false);
  EXPECT_TRUE(rules.blank_tokens.empty());
  EXPECT_EQ(rules.max_initial_timestamp, 25);
  EXPECT_FALSE(rules.timestamps);
  EXPECT_EQ(rules.repetition_penalty, 1.5);
  EXPECT_EQ(rules.no_repeat_ngram_size, 3);
  EXPECT_EQ(rule_options(tokenizer(), {.max_initial_timestamp = std::nullopt}, true)
                .max_initial_timestamp,
            std::nullopt);
}

}  // namespace
}  // namespace whinchat::transcription
