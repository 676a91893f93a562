#include "cli/screen/progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

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
  progress.show(30, 60);
  EXPECT_EQ(out.str(), "");
  progress.finish(60);
  EXPECT_TRUE(out.str().starts_with("talk.wav: 60.0 s in "));
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
}

TEST(Progress, SaysWhichOfSeveralFilesItIs) {
  std::ostringstream out;
  Progress progress(out, /*quiet=*/false, /*width=*/80);
  progress.start("talk.wav", "file 3 of 12");
  EXPECT_EQ(out.str(), "file 3 of 12: talk.wav …");
  progress.note("it is a text file");
  EXPECT_TRUE(out.str().ends_with("whinchat: talk.wav: it is a text file\n"));
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
