#include "transcription/prompt_history.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "models/whisper/dimensions.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using Tokens = std::vector<int32_t>;

constexpr size_t kBudget = 223;
constexpr models::whisper::ModelDimensions kDimensions{.n_text_ctx = 448};

const text::WhisperTokenizer& tokenizer() {
  static const text::WhisperTokenizer kMultilingual(51865);
  return kMultilingual;
}

class PromptHistoryTest : public testing::Test {
 protected:
  PromptHistory history(const TranscribeOptions& options) {
    return {tokenizer(), kDimensions, options, result_};
  }

  Transcription result_;
};

// `count` different tokens, none of them a prompt's.
Tokens said(size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), 10000);
  return tokens;
}

Tokens joined(Tokens first, std::span<const int32_t> second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Tokens last(const Tokens& tokens, size_t count) {
  return {tokens.end() - static_cast<std::ptrdiff_t>(count), tokens.end()};
}

Tokens told(const PromptHistory& history) { return history.window_start(true).previous; }
Tokens prefix(const PromptHistory& history) { return history.window_start(true).prefix; }
bool has_hints(const PromptHistory& history) {
  return history.window_start(true).unhinted.has_value();
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_F(PromptHistoryTest, WithoutAPromptWindowsAreToldTheEndOfWhatWasSaid) {
  PromptHistory history = this->history({});
  EXPECT_EQ(told(history), Tokens());
  history.add(said(3));
  EXPECT_EQ(told(history), said(3));
  history.add(said(400));
  EXPECT_EQ(told(history), last(said(400), kBudget));
  EXPECT_EQ(history.added().size(), 403u);
}

TEST_F(PromptHistoryTest, AnInitialPromptIsTextBeforeTheFirstWindow) {
  PromptHistory history = this->history({.initial_prompt = "  A speech.\n"});
  const Tokens prompt = tokenizer().encode(" A speech.");
  EXPECT_EQ(told(history), prompt);
  EXPECT_TRUE(history.added().empty());
  history.add(said(5));
  EXPECT_EQ(told(history), joined(prompt, said(5)));
  history.add(said(kBudget - 5));
  EXPECT_EQ(told(history), joined(said(5), said(kBudget - 5))) << "pushed out";
  history.forget();
  EXPECT_EQ(told(history), Tokens());
}

TEST_F(PromptHistoryTest, ACarriedPromptStaysAndHistoryTakesTheRest) {
  PromptHistory history =
      this->history({.initial_prompt = "A speech.", .carry_initial_prompt = true});
  const Tokens prompt = tokenizer().encode(" A speech.");
  EXPECT_EQ(told(history), prompt);
  history.add(said(400));
  EXPECT_EQ(told(history), joined(prompt, last(said(400), kBudget - prompt.size())));
  history.forget();
  EXPECT_EQ(told(history), prompt);
}

TEST_F(PromptHistoryTest, APromptThatIsTooLongKeepsItsEndAndSaysSo) {
  const std::string text = repeated(" country", 300);
  PromptHistory history = this->history({.initial_prompt = text, .carry_initial_prompt = true});
  EXPECT_EQ(told(history), last(tokenizer().encode(text), kBudget));
  EXPECT_EQ(result_.warnings,
            std::vector<std::string>(
                {"the initial prompt has 300 tokens, of which the last 223 are used"}));
  history.add(said(10));
  EXPECT_EQ(told(history), last(tokenizer().encode(text), kBudget)) << "no room is left";
}

TEST_F(PromptHistoryTest, VocabularyHotwordsAndCarriedPromptComeFirstInThatOrder) {
  PromptHistory history = this->history({.initial_prompt = "A speech.",
                                         .carry_initial_prompt = true,
                                         .vocabulary = {"Walton", " Quillsby "},
                                         .hotwords = "Shapeshift"});
  const Tokens fixed = tokenizer().encode(" Walton, Quillsby. Shapeshift A speech.");
  EXPECT_EQ(told(history), fixed);
  EXPECT_EQ(result_.vocabulary.included, (std::vector<std::string>{"Walton", "Quillsby"}));
  history.add(said(400));
  EXPECT_EQ(told(history), joined(fixed, last(said(400), kBudget - fixed.size())));
  EXPECT_EQ(result_.warnings, std::vector<std::string>());
}

TEST_F(PromptHistoryTest, PromptAndHotwordsThatAreTooLongTogetherStayWithinTheBudget) {
  const std::string text = repeated(" country", 150);
  PromptHistory history = this->history({.initial_prompt = text, .hotwords = text});
  EXPECT_EQ(told(history).size(), kBudget);
  EXPECT_EQ(result_.warnings,
            std::vector<std::string>({
                "the initial prompt has 150 tokens, of which the last 73 are used",
            }));
  const std::string more = repeated(" country", 300);
  result_ = {};
  history = this->history({.initial_prompt = text, .vocabulary = {"Walton"}, .hotwords = more});
  EXPECT_EQ(told(history).size(), kBudget);
  EXPECT_EQ(result_.warnings,
            std::vector<std::string>(
                {"the text of hotwords has 300 tokens, of which the last 223 are used",
                 "the initial prompt has 150 tokens, of which none is used",
                 "1 of 1 words of the vocabulary do not fit into the prompt: Walton"}));
}

TEST_F(PromptHistoryTest, HotwordsAreToldToEveryWindowThatHasNoPrefix) {
  PromptHistory history = this->history({.hotwords = "Shapeshift", .prefix = "And so"});
  const Tokens hotwords = tokenizer().encode(" Shapeshift");
  EXPECT_EQ(told(history), Tokens());
  EXPECT_EQ(prefix(history), tokenizer().encode(" And so"));
  history.end_window();
  EXPECT_TRUE(prefix(history).empty());
  EXPECT_EQ(told(history), hotwords);
  history.forget();
  EXPECT_EQ(told(history), hotwords);
}

TEST_F(PromptHistoryTest, APrefixLeavesRoomForWhatFollows) {
  const std::string text = repeated(" country", 300);
  EXPECT_EQ(prefix(history({.prefix = text})).size(), 112u);
  EXPECT_EQ(result_.warnings, std::vector<std::string>(
                                  {"the prefix has 300 tokens, of which the last 112 are used"}));
  EXPECT_EQ(prefix(history({.prefix = text, .max_new_tokens = 200})).size(), 24u);
  EXPECT_EQ(prefix(history({.prefix = text, .max_new_tokens = 448})).size(), 112u);
  const size_t most = prefix(history({.prefix = text, .max_new_tokens = 1})).size();
  EXPECT_LT(1 + kBudget + 4 + most, 448u) << "prompt, start sequence and prefix";
}

TEST_F(PromptHistoryTest, VocabularyIsFittedWordByWord) {
  std::vector<std::string> words;
  words.reserve(101);
  for (int i = 0; i < 100; ++i) words.push_back("Name" + std::to_string(i) + "sworth");
  words.emplace_back("Li");
  const PromptHistory history = this->history({.vocabulary = words});
  const VocabularyReport& report = result_.vocabulary;
  EXPECT_LE(told(history).size(), kBudget);
  EXPECT_EQ(report.included.size() + report.omitted.size(), words.size());
  EXPECT_FALSE(report.omitted.empty());
  EXPECT_EQ(report.included.front(), words.front());
  EXPECT_EQ(report.included.back(), "Li") << "a shorter one may still fit";
  ASSERT_EQ(result_.warnings.size(), 1u);
  EXPECT_TRUE(result_.warnings[0].ends_with(", …")) << result_.warnings[0];
}

TEST_F(PromptHistoryTest, EqualAndEmptyWordsAreToldOnce) {
  history({.vocabulary = {"Walton", "", "Walton", "  "}});
  EXPECT_EQ(result_.vocabulary.included, std::vector<std::string>({"Walton"}));
  EXPECT_TRUE(result_.vocabulary.omitted.empty());
}

TEST_F(PromptHistoryTest, HintsAreWhatIsToldBesidesTheTextBefore) {
  EXPECT_FALSE(has_hints(history({})));
  EXPECT_TRUE(has_hints(history({.prefix = "And so"})));
  EXPECT_TRUE(has_hints(history({.vocabulary = {"Walton"}})));
  PromptHistory history = this->history({.initial_prompt = "A speech."});
  EXPECT_TRUE(has_hints(history));
  history.add(said(5));
  EXPECT_TRUE(has_hints(history));
  EXPECT_EQ(history.window_start(true).unhinted, said(5));
  history.add(said(kBudget));
  EXPECT_FALSE(has_hints(history)) << "pushed out";
}

TEST_F(PromptHistoryTest, SpecialTokensInAPromptArePlainText) {
  const PromptHistory history = this->history({.initial_prompt = "<|endoftext|><|0.00|>"});
  for (const int32_t token : told(history)) EXPECT_LT(token, tokenizer().tokens().eot);
  EXPECT_EQ(tokenizer().decode(told(history)), " <|endoftext|><|0.00|>");
}

}  // namespace
}  // namespace whinchat::transcription
