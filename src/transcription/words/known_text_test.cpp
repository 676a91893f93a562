#include "transcription/words/known_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr int kVocabulary = 51865;

TEST(KnownText, HasTheWordsOfItsLines) {
  const text::WhisperTokenizer tokenizer(kVocabulary);
  const auto words = split_text(tokenizer, "And so,  \n\n my fellow\r\n", "en");
  std::string text;
  for (const KnownWord& word : words) text += std::to_string(word.line) + word.text + "|";
  EXPECT_EQ(text, "0 And|0 so|0,|1 my|1 fellow|");
  EXPECT_TRUE(split_text(tokenizer, " \n\u3000", "en").empty());
  EXPECT_EQ(split_text(tokenizer, "今日は", "ja").at(0).text, "今日は");
}

std::vector<KnownWord> words_of(const std::vector<std::string>& texts) {
  std::vector<KnownWord> words;
  words.reserve(texts.size());
  for (const std::string& text : texts) words.push_back({0, text, {1}});
  return words;
}

TEST(KnownText, TakesTheTimesOfWhatWasHeardAndSharesTheRest) {
  std::vector<KnownWord> words = words_of({" Oh", " And", ",", " dear", " Fellow", " men", " all"});
  place_words(words,
              std::vector<Word>{{" and", 1, 2, 1}, {" well", 3, 4, 1}, {" fellow.", 8, 9, 1}}, 9.5);
  EXPECT_EQ(words[0].start_s, 0) << "a second before the first at most";
  EXPECT_EQ(words[0].end_s, 1);
  EXPECT_EQ(words[1].start_s, 1);
  EXPECT_EQ(words[3].start_s, 3) << "in place of another";
  EXPECT_EQ(words[2].start_s, 2);
  EXPECT_EQ(words[2].end_s, 3);
  EXPECT_EQ(words[4].end_s, 9);
  EXPECT_EQ(words[5].end_s, 9.25);
  EXPECT_EQ(words[6].end_s, 9.5);
}

TEST(KnownText, SharesTheRecordingWhereNothingWasHeard) {
  std::vector<KnownWord> words = words_of({" a", " b"});
  place_words(words, {}, 10);
  EXPECT_EQ(words[1].start_s, 5);
  EXPECT_EQ(words[1].end_s, 10);
}

// Words of half a second, one after another.
std::vector<KnownWord> even_words(size_t count) {
  std::vector<KnownWord> words = words_of(std::vector<std::string>(count, " a"));
  for (size_t i = 0; i < count; ++i) {
    words[i].start_s = static_cast<double>(i) / 2;
    words[i].end_s = words[i].start_s + 0.5;
  }
  return words;
}

void expect_whole(const std::vector<KnownWindow>& windows, size_t words, int64_t content_frames) {
  size_t next = 0;
  for (const KnownWindow& window : windows) {
    EXPECT_EQ(window.begin, next);
    EXPECT_LT(window.begin, window.end);
    EXPECT_GE(window.seek, 0);
    EXPECT_GE(window.frames, 1);
    EXPECT_LE(window.frames, 3000);
    EXPECT_LE(window.seek + window.frames, content_frames);
    next = window.end;
  }
  EXPECT_EQ(next, words);
}

TEST(KnownWindows, AreOfThirtySecondsAtMost) {
  const auto windows = make_windows(even_words(200), 200, 10000);
  expect_whole(windows, 200, 10000);
  EXPECT_EQ(windows.size(), 4u);
}

TEST(KnownWindows, HoldNoMoreTokensThanAllowed) {
  const auto windows = make_windows(even_words(40), 10, 2000);
  expect_whole(windows, 40, 2000);
  for (const KnownWindow& window : windows) EXPECT_LE(window.end - window.begin, 10u);
}

TEST(KnownWindows, EndAtPauses) {
  std::vector<KnownWord> words = even_words(20);
  for (size_t i = 10; i < 20; ++i) {
    words[i].start_s += 5;
    words[i].end_s += 5;
  }
  const auto windows = make_windows(words, 200, 1500);
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].end, 10u);
  EXPECT_EQ(windows[0].frames, 550);
  EXPECT_EQ(windows[1].seek, 950);
}

TEST(KnownWindows, HoldWordsThatNobodySaid) {
  std::vector<KnownWord> words = even_words(100);
  for (KnownWord& word : words) word.start_s = word.end_s = 3;
  expect_whole(make_windows(words, 30, 300), 100, 300);
  expect_whole(make_windows(words, 30, 1), 100, 1);
}

}  // namespace
}  // namespace whinchat::transcription
