#include "cli/screen/workload.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace whinchat::cli {
namespace {

TEST(Pace, KnowsSpeedAndTimeLeft) {
  const Pace pace{.done_s = 30, .total_s = 90, .elapsed_s = 3};
  EXPECT_EQ(pace.speed(), 10);
  EXPECT_EQ(pace.left_s(), 6);
  const Pace late{.done_s = 91, .total_s = 90, .elapsed_s = 3};
  EXPECT_EQ(late.left_s(), 0);
}

TEST(Pace, SaysNothingOfWhatIsNotKnown) {
  EXPECT_EQ(Pace().speed(), std::nullopt);
  EXPECT_EQ(Pace().left_s(), std::nullopt);
  const Pace endless{.done_s = 30, .elapsed_s = 3};
  EXPECT_EQ(endless.speed(), 10);
  EXPECT_EQ(endless.left_s(), std::nullopt);
}

TEST(Workload, HasNoTotalWhileAPipeIsHeard) {
  for (const double total_s : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
    Workload one({{"", std::nullopt}});
    one.begin(0);
    one.hear(30, total_s);
    EXPECT_EQ(one.file(3).total_s, std::nullopt);
    EXPECT_EQ(one.file(3).done_s, 30);
    EXPECT_EQ(one.all(3).total_s, std::nullopt);
  }
}

TEST(Workload, EstimatesWhatIsAheadByBytesOfTheSameKind) {
  Workload three({{".mp3", 1000}, {".mp3", 3000}, {".mp3", 500}});
  three.begin(0);
  three.hear(60, 100);
  EXPECT_EQ(three.all(5).total_s, std::nullopt);  // nothing was heard to the end yet
  three.hear(100, 100);
  three.finish();
  three.begin(1);
  three.hear(30, 200);  // now it says so itself
  const Pace all = three.all(13);
  EXPECT_EQ(three.files_done(), 1);
  EXPECT_EQ(all.done_s, 130);
  EXPECT_EQ(all.total_s, 100 + 200 + 50);
  EXPECT_EQ(all.left_s(), 22);
}

TEST(Workload, SaysNothingOfAKindThatWasNotHeard) {
  Workload two({{".mp3", 1000}, {".wav", 9000}});
  two.begin(0);
  two.hear(100, 100);
  two.finish();
  EXPECT_EQ(two.all(5).total_s, std::nullopt);
  two.begin(1);
  EXPECT_EQ(two.all(5).total_s, std::nullopt);
  two.hear(10, 50);
  EXPECT_EQ(two.all(5).total_s, 150);
}

TEST(Workload, LeavesOutWhatNeedNotBeHeard) {
  Workload two({{".mp3", 1000}, {".wav", 9000}});
  two.leave_out(1);
  two.begin(0);
  two.hear(20, 100);
  EXPECT_EQ(two.files_done(), 1);
  EXPECT_EQ(two.all(5).total_s, 100);
  two.finish();  // it was interrupted: the rest of it is not ahead any more
  EXPECT_EQ(two.all(5).total_s, 20);
}

}  // namespace
}  // namespace whinchat::cli
