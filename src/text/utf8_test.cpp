#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace whinchat::text {
namespace {

std::string replaced(std::string_view bytes) {
  std::string text;
  Utf8Stream stream;
  stream.push(bytes, text);
  stream.finish(text);
  return text;
}

TEST(Utf8Stream, KeepsWhatIsUtf8) {
  const std::string text =
      std::string(1, '\0') + "aé漢😀\x7F\xF4\x8F\xBF\xBF\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80";
  EXPECT_EQ(replaced(text), text);
}

// Expected values: Python's bytes.decode("utf-8", errors="replace").
TEST(Utf8Stream, ReplacesMaximalSubparts) {
  EXPECT_EQ(replaced("a\x80z"), "a\uFFFDz");
  EXPECT_EQ(replaced("\xC0\xAF"), "\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xE0\x9F\xBF"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xF0\x9F\x98!"), "\uFFFD!");
  EXPECT_EQ(replaced("\xF0\x9F\x98\xE6\xBC\xA2"), "\uFFFD漢");
  EXPECT_EQ(replaced("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xF8\x88\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replaced("\xE6\xBC"), "\uFFFD");
  EXPECT_EQ(replaced("\xF1\x80\x80\xE1\x80\xC2\x62\x80"), "\uFFFD\uFFFD\uFFFD\x62\uFFFD");
}

TEST(Utf8Stream, HoldsAPartOfACharacterBack) {
  std::string text;
  Utf8Stream stream;
  stream.push("\xF0\x9F", text);
  EXPECT_EQ(text, "");
  stream.push("\x98", text);
  EXPECT_EQ(text, "");
  stream.push("\x80!", text);
  EXPECT_EQ(text, "😀!");
}

TEST(Utf8Stream, StartsAnewAfterFinish) {
  std::string text;
  Utf8Stream stream;
  stream.push("\xE6\xBC", text);
  stream.finish(text);
  stream.finish(text);
  stream.push("\xA2", text);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace whinchat::text
