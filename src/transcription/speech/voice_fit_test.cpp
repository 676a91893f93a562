#include "transcription/speech/voice_fit.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "transcription/windows/clips.h"
#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {
namespace {

constexpr Clip kClip{1000, 2500};

TokenSegment said(double start_s, double end_s, const std::vector<double>& word_times = {}) {
  TokenSegment segment{start_s, end_s, {1}};
  for (size_t i = 0; i + 1 < word_times.size(); i += 2) {
    segment.words.push_back({"word", word_times[i], word_times[i + 1], 1});
  }
  return segment;
}

TEST(VoiceFit, NothingBeginsBeforeTheVoice) {
  WindowSegments segments{{said(10, 14, {10, 10.2, 10.2, 11, 11, 14}), said(14, 16)}, 1600, false};
  fit_to_voice(segments, kClip, {1040, 5000});
  const TokenSegment& first = segments.segments[0];
  EXPECT_DOUBLE_EQ(first.start_s, 10.4);
  EXPECT_DOUBLE_EQ(first.words[0].start_s, 10.18) << "a word takes time";
  EXPECT_DOUBLE_EQ(first.words[1].start_s, 10.4);
  EXPECT_DOUBLE_EQ(first.words[2].start_s, 11);
  EXPECT_DOUBLE_EQ(segments.segments[1].start_s, 14);
}

TEST(VoiceFit, WhatIsFirstBeginsWithTheVoice) {
  const auto begin_of = [](double start_s, const Clip& voice) {
    WindowSegments segments{{said(start_s, 14, {start_s, 12, 12, 14})}, 1600, false};
    fit_to_voice(segments, kClip, voice);
    EXPECT_EQ(segments.segments[0].start_s, segments.segments[0].words[0].start_s);
    return segments.segments[0].start_s;
  };
  EXPECT_DOUBLE_EQ(begin_of(10.7, {1040, 5000}), 10.4);
  EXPECT_DOUBLE_EQ(begin_of(10.95, {1040, 5000}), 10.95);
  EXPECT_DOUBLE_EQ(begin_of(10.7, {1000, 5000}), 10.7) << "it spoke before that window, too";
}

TEST(VoiceFit, WhatIsLastEndsWithTheVoice) {
  WindowSegments segments{{said(10, 14, {10, 14}), said(14, 20.1, {14, 19.7})}, 2500, true};
  fit_to_voice(segments, kClip, {1000, 2010});
  EXPECT_DOUBLE_EQ(segments.segments[1].words[0].end_s, 20.1);
  EXPECT_DOUBLE_EQ(segments.segments[1].end_s, 20.1);
  EXPECT_DOUBLE_EQ(segments.segments[0].end_s, 14);
}

TEST(VoiceFit, WhatEndsLongBeforeTheVoiceOrGoesOnStays) {
  WindowSegments early{{said(10, 19)}, 2500, true};
  fit_to_voice(early, kClip, {1000, 2010});
  EXPECT_DOUBLE_EQ(early.segments[0].end_s, 19);
  WindowSegments goes_on{{said(10, 20)}, 2000, false};
  fit_to_voice(goes_on, kClip, {1000, 2010});
  EXPECT_DOUBLE_EQ(goes_on.segments[0].end_s, 20);
}

TEST(VoiceFit, NothingSaidIsNoVoice) {
  WindowSegments silent{{TokenSegment{10, 20, {}}}, 2500, true};
  fit_to_voice(silent, kClip, {1040, 2010});
  EXPECT_DOUBLE_EQ(silent.segments[0].start_s, 10);
  EXPECT_DOUBLE_EQ(silent.segments[0].end_s, 20);
}

}  // namespace
}  // namespace whinchat::transcription
