#include "transcription/windows/clip_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace whinchat::transcription {
namespace {

using Known = std::vector<std::tuple<int64_t, int64_t, bool>>;

Known known(const ClipQueue& clips) {
  Known result;
  for (const KnownClip& each : clips.known()) {
    result.emplace_back(each.clip.begin, each.clip.end, each.is_closed);
  }
  return result;
}

TEST(ClipQueue, GrowsWithWhatIsHeard) {
  ClipQueue clips({});
  EXPECT_FALSE(clips.front());
  clips.hear({{0, 500}, false});
  EXPECT_EQ(known(clips), (Known{{0, 500, false}}));
  clips.hear({{0, 900}, true});
  EXPECT_EQ(known(clips), (Known{{0, 900, true}}));
  clips.pop();
  EXPECT_FALSE(clips.front());
}

TEST(ClipQueue, ClosesClipsWhereTheyWereAskedToEnd) {
  const std::vector<double> timestamps = {1, 2, 4};
  ClipQueue clips(timestamps);
  clips.hear({{0, 150}, false});
  EXPECT_EQ(known(clips), (Known{{100, 150, false}}));
  clips.hear({{0, 450}, false});
  EXPECT_EQ(known(clips), (Known{{100, 200, true}, {400, 450, false}}));
  clips.pop();
  EXPECT_EQ(known(clips), (Known{{400, 450, false}}));
}

TEST(ClipQueue, LeavesWhatIsNotAudibleOut) {
  const std::vector<double> timestamps = {1, 5, 6, 9};
  ClipQueue clips(timestamps);
  clips.hear({{50, 220}, true});
  clips.hear({{480, 620}, true});
  clips.hear({{700, 720}, false});
  EXPECT_EQ(known(clips),
            (Known{{100, 220, true}, {480, 500, true}, {600, 620, true}, {700, 720, false}}));
  for (int i = 0; i < 3; ++i) clips.pop();
  EXPECT_EQ(known(clips), (Known{{700, 720, false}}));
}

TEST(ClipQueue, CountsTheFramesThatWereAskedFor) {
  const std::vector<double> timestamps = {1, 2, 4};
  const ClipQueue clips(timestamps);
  EXPECT_EQ(clips.asked_frames(50), 0);
  EXPECT_EQ(clips.asked_frames(300), 100);
  EXPECT_EQ(clips.asked_frames(450), 150);
}

}  // namespace
}  // namespace whinchat::transcription
