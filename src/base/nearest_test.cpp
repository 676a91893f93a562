#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace whinchat::base {
namespace {

TEST(Nearest, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("base", "base"), 0);
  EXPECT_EQ(edit_distance("", "base"), 4);
  EXPECT_EQ(edit_distance("outputdir", "output-dir"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, NamesTheFirstOfTheNearest) {
  constexpr std::array<std::string_view, 3> kNames{"tiny", "base", "bass"};
  EXPECT_EQ(nearest_name("tinny", kNames), "tiny");
  EXPECT_EQ(nearest_name("basx", kNames), "base");
  EXPECT_EQ(nearest_name("base", {}), "");
}

}  // namespace
}  // namespace whinchat::base
