#include "hub/listing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "hub/digest.h"

namespace whinchat::hub {
namespace {

constexpr const char* kCommit = "cccccccccccccccccccccccccccccccccccccccc";
constexpr const char* kBlob = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
constexpr const char* kSha256 = "5555555555555555555555555555555555555555555555555555555555555555";

std::string small(const std::string& path) {
  return R"({"rfilename":")" + path + R"(","size":7,"blobId":")" + kBlob + R"("})";
}

std::string large(const std::string& path, const std::string& bytes = "5000000000") {
  return R"({"rfilename":")" + path + R"(","size":)" + bytes + R"(,"blobId":")" + kBlob +
         R"(","lfs":{"size":)" + bytes + R"(,"sha256":")" + kSha256 + R"(","pointerSize":135}})";
}

std::string answer(const std::vector<std::string>& files) {
  std::string list;
  for (const std::string& file : files) list += (list.empty() ? "" : ",") + file;
  return std::string(R"({"id":"a/b","sha":")") + kCommit + R"(","siblings":[)" + list + "]}";
}

std::string error_of(const std::string& json) {
  try {
    wanted_files(read_listing(json, "a/b"), "a/b");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> wanted(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const RemoteFile& file : wanted_files(read_listing(answer(files), "a/b"), "a/b")) {
    paths.push_back(file.path);
  }
  return paths;
}

TEST(Listing, HasTheCommitAndEachFilesSizeAndHash) {
  const Listing listing = read_listing(answer({small("config.json"), large("model.bin")}), "a/b");
  EXPECT_EQ(listing.commit, kCommit);
  ASSERT_EQ(listing.files.size(), 2);
  EXPECT_EQ(listing.files[0].bytes, 7);
  EXPECT_EQ(listing.files[0].digest, (Digest{Digest::Kind::GitBlob, kBlob}));
  EXPECT_EQ(listing.files[1].bytes, 5'000'000'000);
  EXPECT_EQ(listing.files[1].digest, (Digest{Digest::Kind::Sha256, kSha256}));
}

TEST(Listing, WantsOneSetOfWeightsAndWhatDescribesIt) {
  using Paths = std::vector<std::string>;
  EXPECT_EQ(wanted({small("README.md"), small("config.json"), large("model.bin"),
                    large("pytorch_model.bin"), small("tokenizer.json"), small("vocabulary.txt")}),
            (Paths{"config.json", "tokenizer.json", "vocabulary.txt", "model.bin"}));
  EXPECT_EQ(wanted({small("config.json"), large("model.bin"), large("model.safetensors"),
                    large("flax_model.msgpack"), large("tf_model.h5"), large("onnx/model.onnx")}),
            (Paths{"config.json", "model.safetensors"}));
  EXPECT_EQ(wanted({large("weights.npz"), large("weights.safetensors")}),
            (Paths{"weights.safetensors"}));
  EXPECT_EQ(wanted({large("weights.npz"), small("config.json")}),
            (Paths{"config.json", "weights.npz"}));
  EXPECT_EQ(
      wanted({large("model-00001-of-00002.safetensors"), large("model-00002-of-00002.safetensors"),
              small("model.safetensors.index.json"), large("model.fp32.safetensors")}),
      (Paths{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
             "model.safetensors.index.json"}));
}

TEST(Listing, SaysWhatItReadsWhereThereIsNone) {
  EXPECT_NE(error_of(answer({small("config.json"), large("tf_model.h5")})).find("model.bin (CTr"),
            std::string::npos);
}

TEST(Listing, RefusesNamesThatLeadElsewhere) {
  for (const char* path : {"../x", "a/../../x", "/etc/passwd", "a//b", "./a", "a/.", "", "a\\\\b",
                           "a\\u0000b", "a\\nb", "vocabulary.txt/../../../x"}) {
    const std::string error = error_of(answer({small(path), large("model.bin")}));
    EXPECT_NE(error.find("a file's name must be a plain relative path"), std::string::npos) << path;
  }
}

TEST(Listing, RefusesWhatIsNoListing) {
  EXPECT_NE(error_of("<html>").find("expected JSON"), std::string::npos);
  EXPECT_NE(error_of("[]").find("sha"), std::string::npos);
  EXPECT_NE(error_of(R"({"sha":"../../x","siblings":[]})").find("40 hex"), std::string::npos);
  EXPECT_NE(error_of(std::string(R"({"sha":")") + kCommit + R"("})").find("siblings"),
            std::string::npos);
  EXPECT_NE(error_of(answer({"7"})).find("rfilename"), std::string::npos);
  EXPECT_NE(error_of(answer({R"({"rfilename":"model.bin"})"})).find("size"), std::string::npos);
  EXPECT_NE(error_of(answer({large("model.bin", "-1")})).find("size"), std::string::npos);
  EXPECT_NE(error_of(answer({large("model.bin", "1e30")})).find("size"), std::string::npos);
  EXPECT_NE(
      error_of(answer({R"({"rfilename":"model.bin","size":1,"blobId":"../x"})"})).find("blobId"),
      std::string::npos);
}

}  // namespace
}  // namespace whinchat::hub
