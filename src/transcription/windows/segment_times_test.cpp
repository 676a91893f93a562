#include "transcription/windows/segment_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "transcription/windows/clips.h"
#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {
namespace {

using Times = std::vector<std::pair<double, double>>;

Times fitted(const Times& times, int64_t begin_s, int64_t end_s) {
  WindowSegments window{.segments = {}, .next_seek = end_s * 100};
  for (const auto& [start, end] : times) window.segments.push_back({start, end, {}});
  fit_times(window, {.seek = begin_s * 100, .segment_frames = 3000, .frames_per_timestamp = 2});
  Times result;
  for (const TokenSegment& segment : window.segments) {
    result.emplace_back(segment.start_s, segment.end_s);
  }
  return result;
}

TEST(FitTimes, LeavesGoodTimesAlone) {
  const Times good = {{5.0, 7.5}, {7.5, 7.52}, {9.0, 11.000000000000002}};
  EXPECT_EQ(fitted(good, 5, 11), good);
  EXPECT_EQ(fitted({}, 0, 1), Times{});
}

TEST(FitTimes, BringsTimesBehindTheEndBack) {
  EXPECT_EQ(fitted({{1.0, 7.0}}, 0, 5), (Times{{1.0, 5.0}}));
  const Times times = fitted({{27.0, 31.0}}, 0, 15);
  EXPECT_DOUBLE_EQ(times[0].first, 14.98);
  EXPECT_DOUBLE_EQ(times[0].second, 15.0);
}

TEST(FitTimes, TurnsAroundWhatGoesBackwards) {
  const Times times = fitted({{3.0, 2.0}, {1.0, 1.0}}, 0, 5);
  EXPECT_DOUBLE_EQ(times[0].first, 3.0);
  EXPECT_DOUBLE_EQ(times[0].second, 3.02);
  EXPECT_DOUBLE_EQ(times[1].first, 3.02);
  EXPECT_DOUBLE_EQ(times[1].second, 3.04);
}

// Whatever tokens a decoder could choose, by the rules or not.
std::vector<int32_t> random_tokens(std::mt19937& random, int32_t timestamp_begin) {
  std::vector<int32_t> tokens(random() % 40);
  for (int32_t& token : tokens) {
    const bool is_timestamp = random() % 2 == 0;
    token = static_cast<int32_t>(is_timestamp ? timestamp_begin + random() % 1501 : random() % 99);
  }
  return tokens;
}

std::vector<Clip> random_clips(std::mt19937& random, int64_t content_frames) {
  std::vector<double> times(random() % 7);
  for (double& time : times) {
    time = static_cast<double>(random() % static_cast<uint32_t>(content_frames + 500)) / 100.0;
  }
  std::ranges::sort(times);
  return make_clips(times, content_frames);
}

// One clip as the loop goes through it; what was given out last ends at last_end_s, and so on.
void go_through(const Clip& clip, std::mt19937& random, double& last_end_s) {
  constexpr int32_t kTimestampBegin = 1000;
  for (int64_t seek = clip.begin; seek < clip.end;) {
    const auto frames = static_cast<int>(std::min<int64_t>(3000, clip.end - seek));
    const Window place{seek, frames, 2};
    WindowSegments window =
        split_window(random_tokens(random, kTimestampBegin), kTimestampBegin, place);
    ASSERT_GT(window.next_seek, seek);
    fit_times(window, place);
    for (const TokenSegment& segment : window.segments) {
      ASSERT_GE(segment.start_s, static_cast<double>(seek) / 100 - 1e-6);
      ASSERT_GE(segment.start_s, last_end_s - 1e-6);
      ASSERT_GT(segment.end_s, segment.start_s);
      ASSERT_LE(segment.end_s, static_cast<double>(clip.end) / 100 + 1e-6);
      last_end_s = segment.end_s;
    }
    seek = window.next_seek;
  }
}

TEST(Times, LieInTheirClipsAndAscendWhateverIsDecoded) {
  std::mt19937 random(1);
  for (int recording = 0; recording < 2000; ++recording) {
    const auto content_frames = static_cast<int64_t>(1 + random() % 9000);
    double last_end_s = 0;
    for (const Clip& clip : random_clips(random, content_frames)) {
      go_through(clip, random, last_end_s);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace whinchat::transcription
