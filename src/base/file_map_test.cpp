#include "base/file_map.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ios>

#include "base/bytes.h"
#include "base/error.h"

namespace whinchat::base {
namespace {

ErrorKind kind_of(const std::filesystem::path& path) {
  try {
    FileMap::open(path);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "expected an error for " << path;
  return ErrorKind::Internal;
}

TEST(FileMap, ShowsTheFilesBytes) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "file_map_bytes";
  std::ofstream(path) << "whinchat";
  EXPECT_EQ(as_text(FileMap::open(path)->bytes()), "whinchat");
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_TRUE(FileMap::open(path)->bytes().empty());
  std::filesystem::remove(path);
}

TEST(FileMap, RefusesWhatIsMissingOrNoFile) {
  EXPECT_EQ(kind_of("/nonexistent/model.bin"), ErrorKind::NotFound);
  EXPECT_EQ(kind_of(testing::TempDir()), ErrorKind::BadInput);
  EXPECT_EQ(kind_of("/dev/null"), ErrorKind::BadInput);
}

}  // namespace
}  // namespace whinchat::base
