#include "cli/progress.h"

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
