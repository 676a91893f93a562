#include "base/compression.h"

#include <gtest/gtest.h>

#include <string>

namespace whinchat::base {
namespace {

TEST(CompressionRatio, IsHighForRepeatedText) {
  std::string loop;
  for (int i = 0; i < 50; ++i) loop += " and so on";
  EXPECT_GT(compression_ratio(loop), 2.4);
}

// The values of Python's len(text) / len(zlib.compress(text)).
TEST(CompressionRatio, EqualsPythonsZlibOnShortText) {
  EXPECT_DOUBLE_EQ(compression_ratio(""), 0.0);
  EXPECT_DOUBLE_EQ(compression_ratio("abc"), 3.0 / 11.0);
}

}  // namespace
}  // namespace whinchat::base
