#include "transcription/windows/window_segments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace whinchat::transcription {
namespace {

constexpr int32_t kBegin = 1000;  // <|0.00|>

WindowSegments split(const std::vector<int32_t>& tokens, int64_t seek = 0, int frames = 3000) {
  return split_window(tokens, kBegin,
                      {.seek = seek, .segment_frames = frames, .frames_per_timestamp = 2});
}

TEST(SplitWindow, EndsSegmentsBetweenConsecutiveTimestamps) {
  const WindowSegments result = split({1000, 1, 2, 1100, 1100, 3, 1250}, 500);
  ASSERT_EQ(result.segments.size(), 2u);
  EXPECT_DOUBLE_EQ(result.segments[0].start_s, 5.0);
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 7.0);
  EXPECT_EQ(result.segments[0].tokens, (std::vector<int32_t>{1000, 1, 2, 1100}));
  EXPECT_DOUBLE_EQ(result.segments[1].end_s, 10.0);
  EXPECT_EQ(result.next_seek, 3500) << "a single timestamp at the end: nobody speaks after it";
}

TEST(SplitWindow, DecodesAgainFromTheLastTimestampOfAnUnfinishedSegment) {
  const WindowSegments result = split({1000, 1, 1100, 1100, 2, 3});
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_EQ(result.next_seek, 200);
}

TEST(SplitWindow, SeeksToTheSecondOfTwoTimestampsAtTheEnd) {
  EXPECT_EQ(split({1000, 1, 1100, 1150}).next_seek, 200)
      << "as the oracle: to the timestamp that closes the last segment";
}

TEST(SplitWindow, NeverSeeksBehindWhatTheWindowHolds) {
  EXPECT_EQ(split({1000, 1, 1100, 1100, 2, 1400, 1400, 3}, 700, 500).next_seek, 1200);
}

TEST(SplitWindow, NeverSeeksToWhereTheWindowBegan) {
  EXPECT_EQ(split({1000, 1000, 1, 2}, 700).next_seek, 3700);
}

TEST(SplitWindow, MakesOneSegmentOfAWindowWithoutPairs) {
  WindowSegments result = split({1000, 1, 2}, 0, 1100);
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 11.0) << "<|0.00|> says nothing about the end";
  EXPECT_EQ(result.next_seek, 1100);
  result = split({1000, 1, 2, 1200}, 0, 1100);
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 4.0);
  EXPECT_EQ(result.next_seek, 1100);
}

TEST(SplitWindow, DecodesAgainFromTheTimestampWhereATextWasCut) {
  const std::vector<int32_t> two = {1000, 1, 1100, 1100, 2, 1150};
  const Window window{.seek = 0, .segment_frames = 3000, .frames_per_timestamp = 2, .is_cut = true};
  WindowSegments result = split_window(two, kBegin, window);
  EXPECT_EQ(result.segments.size(), 2u);
  EXPECT_EQ(result.next_seek, 300);
  const std::vector<int32_t> one = {1000, 1, 1150};
  result = split_window(one, kBegin, window);
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 3.0);
  EXPECT_EQ(result.next_seek, 300);
  const std::vector<int32_t> none = {1000, 1, 2};
  EXPECT_EQ(split_window(none, kBegin, window).next_seek, 3000) << "nothing says where";
}

TEST(SplitWindow, MakesOneEmptySegmentOfNoTokens) {
  const WindowSegments result = split({}, 0, 300);
  ASSERT_EQ(result.segments.size(), 1u);
  EXPECT_TRUE(result.segments[0].tokens.empty());
  EXPECT_EQ(result.next_seek, 300);
}

}  // namespace
}  // namespace whinchat::transcription
