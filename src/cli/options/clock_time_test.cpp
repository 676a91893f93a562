#include "cli/options/clock_time.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace whinchat::cli {
namespace {

TEST(ClockTime, IsSecondsMinutesOrHours) {
  EXPECT_EQ(parse_clock_time("0"), 0);
  EXPECT_EQ(parse_clock_time("90"), 90);
  EXPECT_EQ(parse_clock_time("90.25"), 90.25);
  EXPECT_EQ(parse_clock_time("1:30"), 90);
  EXPECT_EQ(parse_clock_time("90:00"), 5400);
  EXPECT_EQ(parse_clock_time("0:07.5"), 7.5);
  EXPECT_EQ(parse_clock_time("1:02:03.5"), 3723.5);
  EXPECT_EQ(parse_clock_time("100:00:00"), 360'000);
}

TEST(ClockTime, IsNothingElse) {
  const std::string huge(400, '9');
  for (const std::string& text : {std::string(),
                                  std::string("soon"),
                                  std::string("-1"),
                                  std::string("+1"),
                                  std::string("1e3"),
                                  std::string("inf"),
                                  std::string("nan"),
                                  std::string("0x10"),
                                  std::string("1."),
                                  std::string(".5"),
                                  std::string(" 1"),
                                  std::string("1 "),
                                  std::string("1:5"),
                                  std::string("1:60"),
                                  std::string("1:005"),
                                  std::string("1.5:00"),
                                  std::string("1:60:00"),
                                  std::string("1:2:03"),
                                  std::string("1:00:60"),
                                  std::string("1:00:00:00"),
                                  std::string(":30"),
                                  std::string("1:"),
                                  std::string("1::00"),
                                  std::string("1:-1"),
                                  std::string("1,5"),
                                  std::string("1.2.3"),
                                  huge,
                                  huge + ":00"}) {
    EXPECT_EQ(parse_clock_time(text), std::nullopt) << text;
  }
}

TEST(ClockTime, IsShownWithHoursWhereThereAreSome) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(59.4), "0:59");
  EXPECT_EQ(clock_text(59.6), "1:00");
  EXPECT_EQ(clock_text(3599), "59:59");
  EXPECT_EQ(clock_text(3600), "1:00:00");
  EXPECT_EQ(clock_text(36'305), "10:05:05");
  EXPECT_EQ(clock_text(-1), "?");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::infinity()), "?");
}

std::vector<double> clip_of(const std::string& line) {
  CLI::App app;
  std::vector<double> clip;
  add_clip_options(app, clip);
  app.parse(line);
  return clip;
}

std::string refusal_of(const std::string& line) {
  try {
    clip_of(line);
    return "";
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
}

TEST(ClipOptions, AreAStartAndAnEndInSeconds) {
  using Clip = std::vector<double>;
  EXPECT_EQ(clip_of(""), Clip());
  EXPECT_EQ(clip_of("--start 1:30"), Clip{90});
  EXPECT_EQ(clip_of("--end 1:00:00"), (Clip{0, 3600}));
  EXPECT_EQ(clip_of("--end=2.5 --start=1"), (Clip{1, 2.5}));
}

TEST(ClipOptions, RefuseTimesThatMakeNoClip) {
  EXPECT_EQ(refusal_of("--start 2:00 --end 90"),
            "--end: expected a time after the start, 120 s, got 90 s");
  EXPECT_EQ(refusal_of("--end 0"), "--end: expected a time after the start, 0 s, got 0 s");
  EXPECT_EQ(refusal_of("--start=-3"),
            "--start: expected a time from 0 on, as 90, 1:30 or 1:02:03.5, got -3");
  EXPECT_EQ(refusal_of("--end soon"),
            "--end: expected a time from 0 on, as 90, 1:30 or 1:02:03.5, got soon");
}

}  // namespace
}  // namespace whinchat::cli
