#include "cli/screen/progress.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>

#include "cli/screen/workload.h"

namespace whinchat::cli {
namespace {

TEST(Progress, StaysWithinANarrowTerminal) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/20);
  progress.start("a recording with quite a long name.wav");
  EXPECT_EQ(out.str(), "a recording with qu");
}

TEST(Progress, WritesOneLineAFileWhereThereIsNoTerminal) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/0);
  progress.start("talk.wav");
  progress.show({.done_s = 30, .total_s = 60, .elapsed_s = 2}, {});
  EXPECT_EQ(out.str(), "");
  progress.finish(60);
  EXPECT_TRUE(out.str().starts_with("talk.wav: 60.0 s in "));
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
}

TEST(Progress, SaysWhichOfSeveralFilesItIs) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/80);
  progress.start("talk.wav", {.number = 3, .count = 12});
  EXPECT_EQ(out.str(), "file 3 of 12: talk.wav …");
  progress.note("it is a text file");
  EXPECT_TRUE(out.str().ends_with("whinchat: talk.wav: it is a text file\n"));
}

// What stands on the line after one step of the work.
std::string line_of(int width, Place place, const Pace& file, const Pace& all) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, width);
  progress.start("talk.wav", place);
  progress.show(file, all);
  const std::string shown = out.str();
  EXPECT_TRUE(shown.ends_with("\x1b[K"));
  const size_t begin = shown.rfind('\r') + 1;
  return shown.substr(begin, shown.size() - begin - 3);
}

constexpr Pace kHours{.done_s = 36'185, .total_s = 72'245, .elapsed_s = 3618.5};

TEST(Progress, SaysHowMuchIsDoneHowFastAndWhatIsLeft) {
  EXPECT_EQ(line_of(80, {}, {.done_s = 30, .total_s = 90, .elapsed_s = 2}, {}),
            "0:30 of 1:30, 0:04 left, 15.0x: talk.wav");
  EXPECT_EQ(line_of(80, {}, kHours, {}), "10:03:05 of 20:04:05, 1:00:06 left, 10.0x: talk.wav");
  EXPECT_EQ(line_of(80, {}, {.done_s = 30, .elapsed_s = 2}, {}), "0:30 of ?, 15.0x: talk.wav");
}

TEST(Progress, SaysTheSameOfAllFiles) {
  const Pace file{.done_s = 30, .total_s = 90, .elapsed_s = 2};
  EXPECT_EQ(
      line_of(100, {3, 12}, file, kHours),
      "3/12: 0:30 of 1:30, 0:04 left, 15.0x; all: 10:03:05 of ~20:04:05, 1:00:06 left, 10.0x: "
      "talk.wav");
  EXPECT_EQ(line_of(80, {3, 12}, file, {.done_s = 130, .elapsed_s = 13}),
            "3/12: 0:30 of 1:30, 0:04 left, 15.0x; all: 2:10 of ?, 10.0x: talk.wav");
}

TEST(Progress, LeavesOutWhatANarrowTerminalDoesNotHold) {
  EXPECT_EQ(line_of(40, {}, kHours, kHours), "10:03:05 of 20:04:05, 1:00:06 left");
  EXPECT_EQ(line_of(40, {1003, 1200}, kHours, kHours), "1003/1200: 10:03:05 of 20:04:05");
  EXPECT_EQ(line_of(8, {}, kHours, kHours), "");
}

TEST(Progress, WritesOverTheLineAtOnceAndNotTooOften) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/40);
  progress.start("talk.wav");
  progress.show({.done_s = 1, .total_s = 2, .elapsed_s = 1}, {});
  progress.show({.done_s = 2, .total_s = 2, .elapsed_s = 2}, {});
  EXPECT_EQ(out.str(), "talk.wav …\r0:01 of 0:02, 0:01 left, 1.0x: talk.wav\x1b[K");
}

TEST(Progress, ShowsATransferOnOneLineOfATerminal) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/80);
  progress.start_transfer("fetching base", 0, 2'000'000'000);
  progress.show_transfer(500'000'000, 2'000'000'000);
  progress.show_transfer(500'000'001, 2'000'000'000);  // too soon to be shown
  EXPECT_TRUE(out.str().starts_with("fetching base: 500.0 MB of 2.00 GB, "));
  EXPECT_TRUE(out.str().ends_with(" s left"));
  EXPECT_EQ(out.str().find_first_of("\r\n"), std::string::npos);
  progress.remark("the hub is busy");
  progress.finish_transfer(2'000'000'000);
  EXPECT_NE(out.str().find("\r\x1b[Kwhinchat: the hub is busy\n"), std::string::npos);
}

TEST(Progress, WritesAFirstAndALastLineOfATransferWhereThereIsNoTerminal) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/0);
  progress.start_transfer("fetching base", 1'000'000, 150'200'000);
  progress.show_transfer(75'000'000, 150'200'000);
  EXPECT_EQ(out.str(), "fetching base: 150.2 MB, of which there are 1.0 MB\n");
  progress.finish_transfer(150'200'000);
  EXPECT_NE(out.str().find("\nfetching base: 150.2 MB in "), std::string::npos);
  std::ostringstream silent;
  Progress quiet(silent, /*quiet=*/true, /*width=*/0);
  quiet.start_transfer("fetching base", 0, 7);
  quiet.show_transfer(7, 7);
  quiet.remark("the hub is busy");
  quiet.finish_transfer(7);
  EXPECT_EQ(silent.str(), "");
}

TEST(Progress, QuietStillReportsWhatWentWrong) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/true, /*width=*/80);
  progress.start("talk.wav");
  progress.finish(60);
  EXPECT_EQ(out.str(), "");
  progress.note("it is a text file");
  EXPECT_EQ(out.str(), "whinchat: talk.wav: it is a text file\n");
}

TEST(Progress, NamesTheFileOnceAndNothingThatMovesTheCursor) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/true, /*width=*/80);
  progress.start("a\x1b.wav");
  progress.note("a\x1b.wav is empty");
  EXPECT_EQ(out.str(), "whinchat: a\\x1b.wav is empty\n");
}

TEST(Progress, LeavesNoHalfLineBehind) {
  std::ostringstream out;
  Progress(out, /*quiet=*/false, /*width=*/80).start("loading");
  EXPECT_TRUE(out.str().ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace whinchat::cli
