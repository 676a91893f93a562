#include "transcription/words/word_fit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using Times = std::vector<std::pair<double, double>>;

// One segment with words of these times, in a window of `frames` frames that is done with.
WindowSegments fitted(const Times& times, int64_t seek, int frames) {
  TokenSegment segment{times.front().first, times.back().second, {1}};
  for (const auto& [start_s, end_s] : times) segment.words.push_back({"a", start_s, end_s, 1});
  WindowSegments window{{segment}, seek + frames, true};
  fit_words(window, {seek, frames, 2});
  return window;
}

Times times_of(const WindowSegments& window) {
  Times times;
  for (const TokenSegment& segment : window.segments) {
    for (const Word& word : segment.words) times.emplace_back(word.start_s, word.end_s);
  }
  return times;
}

TEST(FitWords, LeavesThemWhereTheyAreIfItCan) {
  const Times times{{1.0, 1.2}, {1.2, 1.225}, {3.125, 4}};
  EXPECT_EQ(times_of(fitted(times, 0, 450)), times);
}

TEST(FitWords, GivesEachTwentyMillisecondsAtLeast) {
  EXPECT_EQ(times_of(fitted({{1, 1}, {1, 1}, {1, 2}}, 0, 3000)),
            (Times{{1, 1.02}, {1.02, 1.04}, {1.04, 2}}));
}

TEST(FitWords, LeavesRoomForThoseBehind) {
  EXPECT_EQ(times_of(fitted({{1, 2}, {2, 2}, {2, 2}}, 0, 200)),
            (Times{{1, 1.96}, {1.96, 1.98}, {1.98, 2}}));
}

TEST(FitWords, NeverLetsThemGoBack) {
  EXPECT_EQ(times_of(fitted({{1, 3}, {2, 2.5}, {2, 4}}, 150, 2850)),
            (Times{{1.5, 3}, {3, 3.02}, {3.02, 4}}));
}

TEST(FitWords, SharesWhatRoomThereIs) {
  const Times times = times_of(fitted(Times(100, {7, 7}), 1, 1));
  double until_s = 0.01;
  for (const auto& [start_s, end_s] : times) {
    EXPECT_LE(until_s, start_s);
    EXPECT_LT(start_s, end_s);
    until_s = end_s;
  }
  EXPECT_LE(until_s, 0.02);
}

TEST(FitWords, StretchesSegmentsAndClearsThoseWithoutTokens) {
  WindowSegments window{{{1, 1, {}, {{"gone", 1, 1, 1}}},
                         {1, 1.5, {1, 2}, {{"a", 1, 1, 1}, {"b", 1, 2, 1}}},
                         {0.5, 3, {3}, {{"c", 2, 2.5, 1}}}},
                        300,
                        true};
  fit_words(window, {0, 3000, 2});
  EXPECT_EQ(times_of(window), (Times{{1, 1.02}, {1.02, 2}, {2, 2.5}}));
  EXPECT_EQ(window.segments[1].end_s, 2) << "as far as its last word";
  EXPECT_EQ(window.segments[2].start_s, 0.5) << "it has its word already";
  EXPECT_EQ(window.segments[2].end_s, 3);
}

TEST(FitWords, KeepsThemBeforeTheNextSeekPoint) {
  WindowSegments window{{{1, 2, {1}, {{"a", 1, 2, 1}}}}, 150, false};
  fit_words(window, {0, 3000, 2});
  EXPECT_EQ(times_of(window), (Times{{1, 1.5}}));
}

}  // namespace
}  // namespace whinchat::transcription
