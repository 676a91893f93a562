#include "hub/hub_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hub/digest.h"
#include "hub/listing.h"
#include "hub/test_folder.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOld = "1111111111111111111111111111111111111111";
constexpr const char* kNew = "2222222222222222222222222222222222222222";
constexpr uint64_t kRefBytes = 40;

class HubCache : public testing::Test {
 protected:
  // A blob whose content is its own letter; 64 digits name it.
  RemoteFile blob(const std::string& path, char digit, const std::string& content = "x") {
    const std::string hex(64, digit);
    folder_.write("models--a--b/blobs/" + hex, content);
    return {path, content.size(), {Digest::Kind::Sha256, hex}};
  }

  fs::path write(const std::string& commit, const std::vector<RemoteFile>& files,
                 const std::string& revision = "main") {
    return write_snapshot(folder_.path(), {"a/b", revision}, commit, files);
  }

  std::optional<fs::path> find(const std::string& revision = "main") {
    return find_snapshot(folder_.path(), {"a/b", revision});
  }

  TestFolder folder_;
};

TEST_F(HubCache, HasHuggingfaceHubsLayout) {
  const fs::path snapshot = write(kOld, {blob("model.bin", 'a'), blob("sub/config.json", 'b')});
  EXPECT_EQ(snapshot, folder_.path() / "models--a--b" / "snapshots" / kOld);
  EXPECT_EQ(fs::read_symlink(snapshot / "model.bin"), "../../blobs/" + std::string(64, 'a'));
  EXPECT_EQ(fs::read_symlink(snapshot / "sub/config.json"),
            "../../../blobs/" + std::string(64, 'b'));
  EXPECT_EQ(folder_.read("models--a--b/refs/main"), kOld) << "without a line feed";
  EXPECT_EQ(lock_path("/c", "a/b", "77"), "/c/.locks/models--a--b/77.lock");
}

TEST_F(HubCache, FindsARevisionByItsNameOrCommit) {
  const fs::path snapshot = write(kOld, {blob("model.bin", 'a')}, "refs/pr/1");
  EXPECT_EQ(find("refs/pr/1"), snapshot);
  EXPECT_EQ(find(kOld), snapshot);
  EXPECT_EQ(find(), std::nullopt);
  EXPECT_EQ(find("refs"), std::nullopt) << "a folder of revisions is none";
}

TEST_F(HubCache, FindsNoModelThatIsNotWhole) {
  write(kOld, {blob("config.json", 'b')});
  EXPECT_EQ(find(), std::nullopt) << "another program fetched the configuration alone";
  const RemoteFile weights = blob("model.safetensors", 'a');
  write(kOld, {weights});
  EXPECT_TRUE(find());
  fs::remove(folder_.path() / "models--a--b/blobs" / weights.digest.hex);
  EXPECT_EQ(find(), std::nullopt) << "a link that leads nowhere";
}

TEST_F(HubCache, FindsShardsOnlyWhenAllAreThere) {
  const std::string index =
      R"({"weight_map":{"x":"model-00001-of-00002.safetensors","y":"model-00002-of-00002.safetensors"}})";
  write(kOld, {blob("config.json", 'b'), blob("model-00001-of-00002.safetensors", 'c'),
               blob("model.safetensors.index.json", 'd', index)});
  EXPECT_EQ(find(), std::nullopt);
  write(kOld, {blob("model-00002-of-00002.safetensors", 'e')});
  EXPECT_TRUE(find());
}

TEST_F(HubCache, TakesNoCommitFromARefThatLeadsElsewhere) {
  folder_.write("models--a--b/refs/main", "../../../etc");
  EXPECT_EQ(find(), std::nullopt);
}

TEST_F(HubCache, RemovesTheBlobsThatNoOtherSnapshotUses) {
  const RemoteFile shared = blob("config.json", 'b', "shared");
  write(kOld, {shared, blob("model.bin", 'a', std::string(1000, 'x'))}, "old");
  write(kNew, {shared, blob("model.bin", 'c', std::string(50, 'y'))});
  std::vector<Snapshot> found = snapshots(folder_.path());
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].repository, "a/b");
  EXPECT_EQ(found[0].revisions, std::vector<std::string>{"old"});
  EXPECT_EQ(remove_snapshot(folder_.path(), found[0]), 1000 + kRefBytes);
  EXPECT_TRUE(find());
  EXPECT_EQ(find("old"), std::nullopt);
  EXPECT_TRUE(fs::exists(folder_.path() / "models--a--b/blobs" / shared.digest.hex));
  EXPECT_FALSE(fs::exists(folder_.path() / "models--a--b/blobs" / std::string(64, 'a')));
  EXPECT_EQ(remove_snapshot(folder_.path(), snapshots(folder_.path()).front()),
            50 + shared.bytes + kRefBytes);
  EXPECT_FALSE(fs::exists(folder_.path() / "models--a--b"));
}

}  // namespace
}  // namespace whinchat::hub
