#include "cli/screen/screen_text.h"

#include <gtest/gtest.h>

namespace whinchat::cli {
namespace {

TEST(ScreenText, ShowsControlCharactersAndTornCharactersAsHex) {
  EXPECT_EQ(printable("Grüße 日本 🎙.wav"), "Grüße 日本 🎙.wav");
  EXPECT_EQ(printable("a\x1b[2J\r\nb\x7f"), "a\\x1b[2J\\x0d\\x0ab\\x7f");
  EXPECT_EQ(printable("caf\xe9.wav"), "caf\\xe9.wav");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of two bytes";
  EXPECT_EQ(printable("\xe6\x97"), "\\xe6\\x97") << "cut off";
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80\xff"), "\\xc0\\xaf\\xed\\xa0\\x80\\xff");
}

TEST(ScreenText, CutsBetweenCharactersAndCountsWideOnes) {
  EXPECT_EQ(fitted("Grüße", 3), "Grü");
  EXPECT_EQ(fitted("日本", 3), "日");
  EXPECT_EQ(fitted("日本", 4), "日本");
  EXPECT_EQ(fitted("abc", 9), "abc");
  EXPECT_EQ(fitted("abc", 0), "");
}

}  // namespace
}  // namespace whinchat::cli
