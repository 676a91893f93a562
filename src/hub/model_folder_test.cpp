#include "hub/model_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <filesystem>
#include <string>

#include "base/error.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

class ModelFolder : public testing::Test {
 protected:
  void SetUp() override {
    cache_ = fs::path(testing::TempDir()) / "hub_cache";
    fs::create_directories(cache_ / "models" / "base");
    setenv("WHINCHAT_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("WHINCHAT_CACHE");
    fs::remove_all(cache_);
  }

  fs::path cache_;
};

TEST_F(ModelFolder, FindsANameInTheCache) {
  EXPECT_EQ(find_model("base"), cache_ / "models" / "base");
}

TEST_F(ModelFolder, TakesAFolderAsItIs) { EXPECT_EQ(find_model(cache_.string()), cache_); }

TEST_F(ModelFolder, NamesTheModelsThatAreThere) {
  for (const std::string name : {"small", "", "../models/base", "base/../../x"}) {
    try {
      find_model(name);
      ADD_FAILURE() << "expected an error for " << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::NotFound);
      EXPECT_NE(std::string(error.what()).find("base"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace whinchat::hub
