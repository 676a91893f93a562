#include "transcription/words/word_times.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"

namespace whinchat::transcription {
namespace {

std::vector<TimedWord> words_of(const std::vector<std::string>& texts) {
  std::vector<TimedWord> words;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto at_s = static_cast<double>(i);
    words.push_back({texts[i], {static_cast<int32_t>(i)}, at_s, at_s + 0.5, 1});
  }
  return words;
}

std::vector<std::string> merged(const std::vector<std::string>& texts) {
  std::vector<TimedWord> words = words_of(texts);
  merge_punctuations(words, "\"'“¿([{-", "\"'.。,，!！?？:：”)]}、");
  std::vector<std::string> result;
  int32_t next = 0;
  for (const TimedWord& word : words) {
    EXPECT_EQ(word.tokens.empty(), word.word.empty());
    for (const int32_t token : word.tokens) EXPECT_EQ(token, next++) << "in order";
    if (!word.word.empty()) result.push_back(word.word);
  }
  EXPECT_EQ(next, static_cast<int32_t>(texts.size())) << "none lost";
  return result;
}

using Texts = std::vector<std::string>;

TEST(Punctuation, GoesToItsWord) {
  EXPECT_EQ(merged({}), Texts{});
  EXPECT_EQ(merged({" He", " said", ",", " \"", "yes", ".\"", " No"}),
            (Texts{" He", " said,", " \"yes", ".\"", " No"}));
  EXPECT_EQ(merged({" (", " \"", "a", ")", "!", " b"}), (Texts{" ( \"a)!", " b"}));
  EXPECT_EQ(merged({"今日", "は", "、", "元", "気", "。"}), (Texts{"今日", "は、", "元", "気。"}));
  EXPECT_EQ(merged({"("}), Texts{"("}) << "no word before or after";
  EXPECT_EQ(merged({" a", " ("}), (Texts{" a", " ("})) << "none after";
}

TEST(Durations, AreThoseOfWordsThatTakeTime) {
  std::vector<TimedWord> words = words_of({"a", "b", "c"});
  words[1].end_s = words[1].start_s;
  words[2].end_s = words[2].start_s + 0.25;
  EXPECT_EQ(word_durations(words).median_s, 0.375);
  EXPECT_EQ(word_durations(words).max_s, 0.75);
  for (TimedWord& word : words) word.end_s = word.start_s + 3;
  EXPECT_EQ(word_durations(words).median_s, 0.7) << "at most";
  for (TimedWord& word : words) word.end_s = word.start_s;
  EXPECT_EQ(word_durations(words).max_s, 0);
}

TEST(SentenceEnds, TakeNoPause) {
  std::vector<TimedWord> words = words_of({" a", ".", " b", " c"});
  for (TimedWord& word : words) word.end_s = word.start_s + 1;
  shorten_at_sentence_ends(words, {0.25, 0.5});
  EXPECT_EQ(words[0].end_s, 1) << "no sentence ends here";
  EXPECT_EQ(words[1].end_s, 1.5);
  EXPECT_EQ(words[2].start_s, 2.5);
  EXPECT_EQ(words[3].start_s, 3);
}

TEST(Words, BeginAndEndWithTheirTokensInTheMeanAsLikely) {
  const TokenTimes times{{0, 10, 25, 50}, {0.5F, 0.25F, 1}};
  const auto words = time_words({{" a", {7, 8}}, {" b", {9}}}, times);
  ASSERT_EQ(words.size(), 2u);
  EXPECT_EQ(words[0].start_s, 0);
  EXPECT_EQ(words[0].end_s, 0.5);
  EXPECT_EQ(words[0].probability, 0.375);
  EXPECT_EQ(words[1].end_s, 1);
}

constexpr int32_t kEot = 50257;

// One segment with one word of `words[0]`'s times.
TokenSegment given(double segment_start_s, double segment_end_s, double start_s, double end_s,
                   double last_speech_s = 0) {
  std::vector<TokenSegment> segments{{segment_start_s, segment_end_s, {kEot + 100, 5}, {}}};
  give_words(segments, std::vector<TimedWord>{{" a", {5}, start_s, end_s, 1}}, {0.5, 1},
             {10, last_speech_s, kEot});
  return segments[0];
}

TEST(Segments, BeginAndEndWithTheirWords) {
  const TokenSegment segment = given(11.2, 12.3, 1, 2, 10);
  EXPECT_EQ(segment.start_s, 11);
  EXPECT_EQ(segment.end_s, 12);
  EXPECT_EQ(segment.words.at(0).start_s, 11);
}

TEST(Segments, CutWordsThatAreTooLong) {
  EXPECT_EQ(given(12, 13, 1, 3, 12).words.at(0).start_s, 12) << "the segment begins later";
  EXPECT_EQ(given(12, 13, 1, 3, 12).words.at(0).end_s, 13);
  EXPECT_EQ(given(11, 11.5, 1, 3, 12).words.at(0).end_s, 11.5) << "the segment ends earlier";
  EXPECT_EQ(given(11, 15, 1, 5, 0).words.at(0).start_s, 14) << "after a pause";
}

TEST(Segments, WithoutTextHaveNoWords) {
  std::vector<TokenSegment> segments{{0, 1, {kEot + 100}, {}}, {1, 2, {5}, {}}};
  give_words(segments, std::vector<TimedWord>{{" a", {5}, 1, 2, 1}}, {0.5, 1}, {0, 0, kEot});
  EXPECT_TRUE(segments[0].words.empty());
  EXPECT_EQ(segments[0].end_s, 1);
  EXPECT_EQ(segments[1].words.size(), 1u);
}

}  // namespace
}  // namespace whinchat::transcription
