#include "base/file_map.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "base/resident_memory.h"

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

TEST(FileMap, IsKnownByAPointerWithoutItsType) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "file_map_owner";
  std::ofstream(path) << "whinchat";
  const std::shared_ptr<const FileMap> map = FileMap::open(path);
  EXPECT_EQ(FileMap::of(map), map.get());
  EXPECT_EQ(FileMap::of(std::shared_ptr<const void>(map, map->bytes().data())), map.get());
  EXPECT_EQ(FileMap::of(std::make_shared<int>(1)), nullptr);
  EXPECT_EQ(FileMap::of(nullptr), nullptr);
  std::filesystem::remove(path);
}

TEST(FileMap, ReleasesWholePagesThatCanBeReadAgain) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "file_map_pages";
  const std::string text(size_t{32} << 20U, 'w');
  std::ofstream(path) << text;
  const std::shared_ptr<const FileMap> map = FileMap::open(path);
  const uint64_t before = resident_memory().now_bytes;
  ASSERT_EQ(as_text(map->bytes()), text);
  const uint64_t read = resident_memory().now_bytes - before;
  EXPECT_GT(read, text.size() * 9 / 10);
  map->release(map->bytes().subspan(1, text.size() / 2));
  EXPECT_LT(resident_memory().now_bytes - before, read - text.size() * 4 / 10);
  map->release(map->bytes().last(1));  // no whole page
  EXPECT_EQ(as_text(map->bytes()), text);
  EXPECT_GE(resident_memory().peak_bytes, before + read);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace whinchat::base
