#include "transcription/windows/clips.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "whinchat/error.h"

namespace whinchat::transcription {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs pairs_of(const std::vector<Clip>& clips) {
  Pairs pairs;
  for (const Clip& clip : clips) pairs.emplace_back(clip.begin, clip.end);
  return pairs;
}

Pairs clips(const std::vector<double>& timestamps, int64_t content_frames = 1100) {
  return pairs_of(make_clips(timestamps, content_frames));
}

TEST(Clips, AreStartsAndEndsInTurns) {
  EXPECT_EQ(clips({1, 2.5, 4, 5}), (Pairs{{100, 250}, {400, 500}}));
  EXPECT_EQ(clips({1, 2, 2, 3}), (Pairs{{100, 200}, {200, 300}}));
}

TEST(Clips, WithoutALastEndGoToTheEndOfTheRecording) {
  EXPECT_EQ(clips({}), (Pairs{{0, 1100}}));
  EXPECT_EQ(clips({0}), (Pairs{{0, 1100}}));
  EXPECT_EQ(clips({1, 2, 4}), (Pairs{{100, 200}, {400, 1100}}));
}

TEST(Clips, EndWithTheRecording) {
  EXPECT_EQ(clips({0, 20}), (Pairs{{0, 1100}}));
  EXPECT_EQ(clips({0, 1, 10, 1e300}), (Pairs{{0, 100}, {1000, 1100}}));
  EXPECT_EQ(clips({12, 20}), Pairs{});
  EXPECT_EQ(clips({12}), Pairs{});
}

TEST(Clips, OfNoFrameAreLeftOut) {
  EXPECT_EQ(clips({1, 1.001, 2, 3}), (Pairs{{200, 300}}));
  EXPECT_EQ(clips({0.005, 0.015, 0.5, 0.6}), (Pairs{{0, 2}, {50, 60}}))
      << "0.5 and 1.5 frames: halves go to the even side, as in Python";
}

TEST(WindowsOf, LieInsideOfTheClip) {
  EXPECT_EQ(pairs_of(windows_of({50, 150}, 3000)), (Pairs{{50, 150}}));
  EXPECT_EQ(pairs_of(windows_of({1000, 7500}, 3000)),
            (Pairs{{1000, 4000}, {4000, 7000}, {7000, 7500}}));
  EXPECT_EQ(pairs_of(windows_of({50, 50}, 3000)), Pairs{});
}

std::string refusal(const std::vector<double>& timestamps) {
  try {
    check_clip_timestamps(timestamps);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::BadInput ? error.what() : "another kind";
  }
  return "";
}

TEST(Clips, ThatGoBackOrAreNegativeAreRefused) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({0, 1, 1, 2, 5}), "");
  EXPECT_EQ(refusal({-1, 2}), "clip-timestamps: expected seconds from 0 on, got -1");
  EXPECT_EQ(refusal({NAN}), "clip-timestamps: expected seconds from 0 on, got nan");
  EXPECT_EQ(refusal({0, INFINITY}), "clip-timestamps: expected seconds from 0 on, got inf");
  EXPECT_EQ(refusal({2, 1}), "clip-timestamps: expected times that ascend, got 1 after 2");
  EXPECT_EQ(refusal({1, 1}), "clip-timestamps: expected times that ascend, got 1 after 1");
  EXPECT_EQ(refusal({0, 5, 4, 6}), "clip-timestamps: expected times that ascend, got 4 after 5");
}

}  // namespace
}  // namespace whinchat::transcription
