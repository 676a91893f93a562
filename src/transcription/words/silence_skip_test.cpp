#include "transcription/words/silence_skip.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr Window kFirst{0, 3000, 2};
constexpr int64_t kContentFrames = 6000;

// A segment of words that take 0.4 s each.
TokenSegment segment(double start_s, int words, double probability) {
  TokenSegment result{start_s, start_s + words * 0.4, {}, {}};
  for (int i = 0; i < words; ++i) {
    const double at_s = start_s + i * 0.4;
    result.words.push_back({" word", at_s, at_s + 0.4, probability});
  }
  return result;
}

TokenSegment said(double start_s, int words) { return segment(start_s, words, 0.9); }
TokenSegment imagined(double start_s, int words) { return segment(start_s, words, 0.1); }

TEST(Anomaly, IsImprobableShortOrLongWords) {
  EXPECT_FALSE(is_anomalous(said(0, 5)));
  EXPECT_TRUE(is_anomalous(imagined(0, 2)));
  EXPECT_TRUE(is_anomalous(imagined(0, 9)));
  EXPECT_FALSE(is_anomalous({0, 1, {}, {}})) << "no words, no doubt";
  EXPECT_TRUE(is_anomalous({0, 1, {}, {{" a", 0, 3.5, 0.9}}})) << "1.5 s too long, one word";
  EXPECT_FALSE(is_anomalous({0, 1, {}, {{" a", 0, 2.9, 0.9}}}));
  EXPECT_TRUE(is_anomalous({0, 1, {}, {{" a", 0, 0.06, 0.9}}}));
  EXPECT_FALSE(is_anomalous({0, 1, {}, {{" a", 0, 0.08, 0.9}}}));
  EXPECT_TRUE(is_anomalous(segment(0, 5, 0.149)));
  EXPECT_FALSE(is_anomalous(segment(0, 5, 0.151)));
  // Three doubtful words are enough among any number, within the first eight.
  std::vector<Word> words(8, {" a", 0, 0.4, 0.9});
  for (int i = 0; i < 3; ++i) words[5 + static_cast<size_t>(i)].probability = 0.1;
  EXPECT_TRUE(is_anomalous({0, 1, {}, words}));
  words.insert(words.begin(), {" a", 0, 0.4, 0.9});
  EXPECT_FALSE(is_anomalous({0, 1, {}, words}));
  words[0].text = "。";
  EXPECT_TRUE(is_anomalous({0, 1, {}, words})) << "punctuation is not counted";
}

TEST(Seek, GoesToTheLastWordUnlessNobodySpeaksAfterIt) {
  WindowSegments window{{said(1, 5)}, 1000, false};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, {}}));
  EXPECT_EQ(window.next_seek, 300);
  window = {{said(1, 5)}, 3000, true};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, {}}));
  EXPECT_EQ(window.next_seek, 3000);
}

TEST(Seek, GoesOnInAnyCase) {
  WindowSegments window{{{0, 0, {}, {{" a", 0, 0, 0.9}}}}, 0, false};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, {}}));
  EXPECT_EQ(window.next_seek, 1);
}

TEST(Silence, AtTheEndOfAWindowIsKeptIfItIsShort) {
  WindowSegments window{{said(1, 71)}, 1000, false};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, 2.0}));
  EXPECT_EQ(window.next_seek, 3000) << "0.6 s are left";
  window = {{said(1, 5)}, 1000, false};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, 2.0}));
  EXPECT_EQ(window.next_seek, 300);
}

TEST(Silence, BeforeTheFirstDoubtfulWordsIsSkipped) {
  WindowSegments window{{imagined(5, 3), said(10, 5)}, 3000, true};
  EXPECT_FALSE(seek_after_words(window, {kFirst, kContentFrames, 0, 2.0}));
  EXPECT_EQ(window.next_seek, 500);
}

TEST(Hallucination, BetweenSilencesIsDroppedAndSoughtAgain) {
  WindowSegments window{{said(1, 5), imagined(8, 3), said(15, 5)}, 3000, true};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, 2.0}));
  EXPECT_EQ(window.segments.size(), 1u);
  EXPECT_EQ(window.next_seek, 800);
}

TEST(Hallucination, BesideSpeechStays) {
  WindowSegments window{{said(1, 5), imagined(3.5, 3), said(15, 5)}, 3000, true};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, 2.0}));
  EXPECT_EQ(window.segments.size(), 3u);
  window = {{said(1, 5), imagined(8, 3), said(10, 5)}, 3000, true};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, 2.0}));
  EXPECT_EQ(window.segments.size(), 3u);
}

TEST(Hallucination, TakesTheTwoSecondsAtAWindowsEdgesForSilence) {
  const SilenceSkip skip{{3000, 3000, 2}, 9000, 31, 4.0};
  const auto segments_left = [&](std::vector<TokenSegment> segments) {
    WindowSegments window{std::move(segments), 6000, true};
    EXPECT_TRUE(seek_after_words(window, skip));
    return window.segments.size();
  };
  EXPECT_EQ(segments_left({imagined(31.9, 3), said(45, 5)}), 0u);
  EXPECT_EQ(segments_left({imagined(32.1, 3), said(45, 5)}), 2u);
  EXPECT_EQ(segments_left({said(33, 5), imagined(56.9, 3)}), 1u);
  EXPECT_EQ(segments_left({said(33, 5), imagined(56.7, 3)}), 2u);
}

TEST(Hallucination, AtTheEndOfTheRecordingEndsIt) {
  WindowSegments window{{said(1, 5), imagined(28.5, 3)}, 3000, true};
  EXPECT_TRUE(seek_after_words(window, {kFirst, 3000, 0, 2.0}));
  EXPECT_EQ(window.segments.size(), 1u);
  EXPECT_EQ(window.next_seek, 3000);
}

TEST(Hallucination, IsOnlyLookedForWhereAsked) {
  WindowSegments window{{imagined(8, 3)}, 3000, true};
  EXPECT_TRUE(seek_after_words(window, {kFirst, kContentFrames, 0, std::nullopt}));
  EXPECT_EQ(window.segments.size(), 1u);
}

}  // namespace
}  // namespace whinchat::transcription
