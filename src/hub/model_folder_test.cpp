#include "hub/model_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <filesystem>
#include <string>

#include "base/error.h"
#include "hub/digest.h"
#include "hub/fetch_context.h"
#include "hub/hub_cache.h"
#include "hub/settings.h"
#include "hub/test_folder.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

class ModelFolder : public testing::Test {
 protected:
  ModelFolder() {
    context_.settings.cache = folder_.path() / "own";
    context_.settings.hub_cache = folder_.path() / "hub";
    context_.settings.offline = true;
    folder_.write("own/models/base/model.bin", "x");
  }

  void add_to_hub_cache(const std::string& id) {
    const std::string commit(40, '1');
    const std::string hex(64, 'a');
    const fs::path blob = repository_folder(context_.settings.hub_cache, id) / "blobs" / hex;
    folder_.write(blob.lexically_relative(folder_.path()), "x");
    write_snapshot(context_.settings.hub_cache, {id}, commit,
                   {{"config.json", 1, {Digest::Kind::Sha256, hex}},
                    {"model.safetensors", 1, {Digest::Kind::Sha256, hex}}});
  }

  std::string error_of(const std::string& name) const {
    try {
      find_or_fetch_model(context_, name);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::NotFound) << name;
      return error.what();
    }
    ADD_FAILURE() << "expected an error for " << name;
    return "";
  }

  TestFolder folder_;
  FetchContext context_;
};

TEST_F(ModelFolder, TakesAFolderAsItIs) {
  EXPECT_EQ(find_or_fetch_model(context_, folder_.path().string()), folder_.path());
}

TEST_F(ModelFolder, TakesAFileAsItIs) {
  folder_.write("base.pt", "x");
  const std::string file = (folder_.path() / "base.pt").string();
  EXPECT_EQ(find_or_fetch_model(context_, file), file);
  EXPECT_NE(error_of("/dev/null").find("is unknown"), std::string::npos);
}

TEST_F(ModelFolder, DoesNotTakeAFileThatIsCalledAsAKnownModel) {
  folder_.write("base", "x");
  const fs::path here = fs::current_path();
  fs::current_path(folder_.path());
  const auto found = find_or_fetch_model(context_, "base");
  fs::current_path(here);
  EXPECT_EQ(found, folder_.path() / "own/models/base");
}

TEST_F(ModelFolder, FindsANameInOurCacheFirst) {
  add_to_hub_cache("Systran/faster-whisper-base");
  EXPECT_EQ(find_or_fetch_model(context_, "base"), folder_.path() / "own/models/base");
}

TEST_F(ModelFolder, FindsWhatAnyOtherProgramFetched) {
  add_to_hub_cache("openai/whisper-tiny");
  const auto by_word = find_or_fetch_model(context_, "tiny");
  ASSERT_TRUE(by_word);
  EXPECT_TRUE(by_word->string().find("models--openai--whisper-tiny") != std::string::npos);
  EXPECT_EQ(find_or_fetch_model(context_, "openai/whisper-tiny"), by_word);
}

TEST_F(ModelFolder, SaysThatOfflineNothingIsFetched) {
  EXPECT_NE(error_of("small").find("nothing is fetched with --offline"), std::string::npos);
  EXPECT_NE(error_of("a/b").find("nothing is fetched with --offline"), std::string::npos);
}

TEST_F(ModelFolder, SuggestsANameForAMisspeltOne) {
  EXPECT_NE(error_of("tinyy").find("did you mean tiny?"), std::string::npos);
  EXPECT_NE(error_of("wav2vec2-xlsr").find("expected a folder, a file, a repository"),
            std::string::npos);
  for (const std::string name : {"", ".", "../models/base", "base/../../x", "/no/such/folder"}) {
    if (name == ".") continue;  // a folder
    EXPECT_NE(error_of(name).find("is unknown"), std::string::npos) << name;
  }
}

TEST(Settings, TakesHuggingfaceHubsVariables) {
  const TestFolder folder;
  folder.write("token", " hf_file\n");
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HF_TOKEN_PATH",
                           "HUGGING_FACE_HUB_TOKEN", "HF_HUB_DISABLE_IMPLICIT_TOKEN"}) {
    unsetenv(name);
  }
  setenv("HF_HOME", folder.path().c_str(), 1);
  setenv("HF_ENDPOINT", "https://mirror/x/", 1);
  setenv("HF_HUB_OFFLINE", "yes", 1);
  setenv("HF_HUB_DOWNLOAD_TIMEOUT", "3", 1);
  Settings settings = settings_from_environment();
  EXPECT_EQ(settings.hub_cache, folder.path() / "hub");
  EXPECT_EQ(settings.endpoint, "https://mirror/x");
  EXPECT_EQ(settings.token, "hf_file");
  EXPECT_TRUE(settings.offline);
  EXPECT_EQ(settings.download_timeout.count(), 3);
  setenv("HF_TOKEN", "hf_variable", 1);
  setenv("HF_HUB_CACHE", "~/x", 1);
  settings = settings_from_environment();
  EXPECT_EQ(settings.token, "hf_variable");
  EXPECT_EQ(settings.hub_cache, fs::path(getenv("HOME")) / "x");
  for (const char* wrong : {"0", "-1", "1.5", "x", "99999999999"}) {
    setenv("HF_HUB_DOWNLOAD_TIMEOUT", wrong, 1);
    EXPECT_THROW(settings_from_environment(), Error) << wrong;
  }
  for (const char* name : {"HF_HOME", "HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_HUB_DOWNLOAD_TIMEOUT",
                           "HF_TOKEN", "HF_HUB_CACHE"}) {
    unsetenv(name);
  }
}

}  // namespace
}  // namespace whinchat::hub
