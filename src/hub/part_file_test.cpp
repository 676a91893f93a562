#include "hub/part_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "hub/digest.h"
#include "hub/test_folder.h"

namespace whinchat::hub {
namespace {

constexpr std::string_view kContent = "hello\n";
constexpr const char* kGitHash = "ce013625030ba8dba906f756967f9e9ca394464a";

class PartFileTest : public testing::Test {
 protected:
  bool finish_with(std::string_view rest) {
    PartFile part(folder_.path() / "blob", kContent.size(), {Digest::Kind::GitBlob, kGitHash});
    EXPECT_TRUE(part.take_up(std::stop_token()));
    position_ = part.position();
    part.append(base::as_bytes(rest));
    return part.finish();
  }

  TestFolder folder_;
  uint64_t position_ = 0;
};

TEST_F(PartFileTest, BecomesItsTargetWhenWhole) {
  EXPECT_TRUE(finish_with(kContent));
  EXPECT_EQ(folder_.read("blob"), kContent);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "blob.incomplete"));
}

TEST_F(PartFileTest, GoesOnWhereAnEarlierOneEnded) {
  folder_.write("blob.incomplete", "hel");
  EXPECT_TRUE(finish_with("lo\n"));
  EXPECT_EQ(position_, 3);
  EXPECT_EQ(folder_.read("blob"), kContent);
}

TEST_F(PartFileTest, IsRemovedWhereItsHashIsWrong) {
  folder_.write("blob.incomplete", "HEL");
  EXPECT_FALSE(finish_with("lo\n"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "blob"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "blob.incomplete"));
}

TEST_F(PartFileTest, BeginsAgainWhereTooMuchIsThere) {
  folder_.write("blob.incomplete", "hello and more");
  EXPECT_TRUE(finish_with(kContent));
  EXPECT_EQ(position_, 0);
  EXPECT_EQ(folder_.read("blob"), kContent);
}

TEST(FreeSpace, IsRequiredBeforeTheFolderExists) {
  const TestFolder folder;
  require_free_space(folder.path() / "not" / "yet", 1);
  try {
    require_free_space(folder.path() / "not" / "yet", uint64_t{1} << 60U);
    ADD_FAILURE() << "no disk has that much";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("MB are needed, and the disk that holds"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace whinchat::hub
