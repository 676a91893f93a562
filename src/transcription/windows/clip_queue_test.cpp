#include "transcription/windows/clip_queue.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace whinchat::transcription {
namespace {

using Known = std::vector<std::tuple<int64_t, int64_t, bool>>;

KnownClip stretch(int64_t begin, int64_t end, bool is_closed) {
  return {{begin, end}, is_closed, {begin, end}};
}

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
  clips.hear(stretch(0, 500, false));
  EXPECT_EQ(known(clips), (Known{{0, 500, false}}));
  clips.hear(stretch(0, 900, true));
  EXPECT_EQ(known(clips), (Known{{0, 900, true}}));
  clips.finish_before(900);
  EXPECT_FALSE(clips.front());
}

TEST(ClipQueue, ClosesClipsWhereTheyWereAskedToEnd) {
  const std::vector<double> timestamps = {1, 2, 4};
  ClipQueue clips(timestamps);
  clips.hear(stretch(0, 150, false));
  EXPECT_EQ(known(clips), (Known{{100, 150, false}}));
  clips.hear(stretch(0, 450, false));
  EXPECT_EQ(known(clips), (Known{{100, 200, true}, {400, 450, false}}));
  clips.finish_before(200);
  EXPECT_EQ(known(clips), (Known{{400, 450, false}}));
}

TEST(ClipQueue, LeavesWhatIsNotAudibleOut) {
  const std::vector<double> timestamps = {1, 5, 6, 9};
  ClipQueue clips(timestamps);
  clips.hear(stretch(50, 220, true));
  clips.hear(stretch(480, 620, true));
  clips.hear(stretch(700, 720, false));
  EXPECT_EQ(known(clips),
            (Known{{100, 220, true}, {480, 500, true}, {600, 620, true}, {700, 720, false}}));
  clips.finish_before(620);
  EXPECT_EQ(known(clips), (Known{{700, 720, false}}));
}

TEST(ClipQueue, SaysWhereInAClipSomebodySpeaks) {
  const std::vector<double> timestamps = {1, 5};
  ClipQueue clips(timestamps);
  clips.hear({{160, 540}, true, {200, 500}});
  EXPECT_EQ(clips.known().at(0).voice.begin, 200);
  EXPECT_EQ(clips.known().at(0).voice.end, 500) << "where the clip is cut";
  ClipQueue cut(timestamps);
  cut.hear({{60, 300}, true, {70, 260}});
  EXPECT_EQ(cut.known().at(0).voice.begin, 100);
  EXPECT_EQ(cut.known().at(0).voice.end, 260);
}

TEST(ClipQueue, GoesOnInAClipUntilNobodySpeaks) {
  ClipQueue clips({});
  clips.hear({{60, 900}, true, {100, 860}});
  clips.finish_before(400);
  EXPECT_EQ(known(clips), (Known{{400, 900, true}}));
  EXPECT_EQ(clips.known().at(0).voice, (Clip{400, 860}));
  clips.finish_before(860);
  EXPECT_FALSE(clips.front());
}

TEST(ClipQueue, HearsOnInAClipThatMayGrow) {
  ClipQueue clips({});
  clips.hear({{60, 900}, false, {100, 860}});
  clips.finish_before(870);
  EXPECT_EQ(known(clips), (Known{{870, 900, false}}));
  clips.hear({{60, 1200}, true, {100, 1160}});
  EXPECT_EQ(known(clips), (Known{{870, 1200, true}}));
}

TEST(ClipQueue, IsDoneWithTheLastClipThatWasAskedFor) {
  const std::vector<double> timestamps = {1, 2};
  ClipQueue clips(timestamps);
  clips.hear(stretch(0, 300, false));
  EXPECT_FALSE(clips.is_done());
  clips.finish_before(200);
  EXPECT_TRUE(clips.is_done());
  ClipQueue all({});
  all.hear(stretch(0, 300, true));
  all.finish_before(300);
  EXPECT_FALSE(all.is_done()) << "there may be more";
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
