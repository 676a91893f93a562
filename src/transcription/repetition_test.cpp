#include "transcription/repetition.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace whinchat::transcription {
namespace {

using Texts = std::vector<std::string>;

std::optional<size_t> repeated(const Texts& before, const Texts& window) {
  return first_repeated(before, window);
}

TEST(FirstRepeated, IsTheSecondOfThreeEqualSegments) {
  EXPECT_EQ(repeated({}, {" a", " b", " b", " b", " b"}), 2u);
  EXPECT_EQ(repeated({" a"}, {" b", " c", " c"}), std::nullopt) << "twice is no circle";
  EXPECT_EQ(repeated({" c"}, {" b", " c", " b"}), std::nullopt);
}

TEST(FirstRepeated, IsTheWindowsFirstWhereTheCircleBeganBefore) {
  EXPECT_EQ(repeated({" a", " b"}, {" b", " b", " c"}), 0u);
  EXPECT_EQ(repeated({" a", " b", " b"}, {" b", " c"}), 0u);
}

TEST(FirstRepeated, MayTakeSeveralSegmentsToComeRound) {
  EXPECT_EQ(repeated({}, {" x", " a", " b", " a", " b", " a", " b"}), 3u);
  EXPECT_EQ(repeated({" a", " b", " c", " d"}, {" a", " b", " c", " d", " a", " b", " c", " d"}),
            0u);
  EXPECT_EQ(repeated({}, {" a", " b", " a", " b"}), std::nullopt);
}

TEST(FirstRepeated, IsTheFirstOfAWindowThatSaysWhatWasSaidLast) {
  EXPECT_EQ(repeated({" a", " Thank you."}, {" Thank you."}), 0u);
  EXPECT_EQ(repeated({" a", " b"}, {" a", " b"}), 0u);
  EXPECT_EQ(repeated({" a", " b"}, {" b", " c"}), std::nullopt);
  EXPECT_EQ(repeated({}, {" a"}), std::nullopt);
}

TEST(FirstRepeated, TakesNoNoticeOfEmptyTexts) {
  EXPECT_EQ(repeated({}, {"", " b", "", " b", " ", " b"}), 3u);
  EXPECT_EQ(repeated({"", ""}, {"", ""}), std::nullopt);
}

}  // namespace
}  // namespace whinchat::transcription
