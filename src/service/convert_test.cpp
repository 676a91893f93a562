#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <system_error>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "service/ct2_description.h"
#include "whinchat/error.h"
#include "whinchat/models.h"

namespace whinchat {
namespace {

namespace fs = std::filesystem;

fs::path model(const std::string& name) { return fs::path(WHINCHAT_CACHE) / "models" / name; }

base::Json load(const fs::path& file) {
  return base::parse_json(base::as_text(base::FileMap::open(file)->bytes()), file.string());
}

class Convert : public testing::Test {
 protected:
  Convert() { fs::remove_all(destination_); }
  ~Convert() override {
    std::error_code error;
    fs::remove_all(destination_, error);
  }

  std::string error_of(const ConvertOptions& options) const {
    try {
      convert_model(model("tiny.en").string(), destination_, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path part() const { return destination_.string() + ".part"; }

  const testing::TestInfo* test_ = testing::UnitTest::GetInstance()->current_test_info();
  fs::path destination_ = fs::path(testing::TempDir()) / (std::string("convert_") + test_->name());
};

TEST_F(Convert, DescribesBaseAsItsOwnConverterDid) {
  EXPECT_EQ(service::ct2_vocabulary(51865), load(model("base") / "vocabulary.json"));
  const base::Json config = load(model("base") / "config.json");
  const base::Json ours =
      service::ct2_config({{"n_vocab", 51865}, {"alignment_heads", config["alignment_heads"]}});
  for (const auto& [field, value] : ours.items()) EXPECT_EQ(value, config.at(field)) << field;
}

TEST_F(Convert, WithoutHeadsTheLastHalfOfTheLayersHasThem) {
  const base::Json config =
      service::ct2_config({{"n_vocab", 51864}, {"n_text_layer", 3}, {"n_text_head", 2}});
  EXPECT_EQ(config["alignment_heads"], base::parse_json("[[1,0],[1,1],[2,0],[2,1]]", "heads"));
}

TEST_F(Convert, WritesAFolderWithAllThatItsProgramReads) {
  uint64_t done = 0;
  uint64_t total = 0;
  ConvertOptions options;
  options.on_progress = [&](uint64_t done_bytes, uint64_t total_bytes) {
    EXPECT_GT(done_bytes, done);
    done = done_bytes;
    total = total_bytes;
  };
  EXPECT_TRUE(convert_model(model("tiny.en").string(), destination_.string() + "/", options));
  EXPECT_EQ(done, total);
  EXPECT_EQ(load(destination_ / "config.json")["model_type"], "whisper");
  EXPECT_GT(fs::file_size(destination_ / "weights.safetensors"), total);
  EXPECT_TRUE(fs::exists(destination_ / "tokenizer.json"));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(Convert, LeavesNothingWhenItIsStopped) {
  std::stop_source stop;
  ConvertOptions options{.format = ModelFormat::CTranslate2, .stop = stop.get_token()};
  options.on_progress = [&](uint64_t, uint64_t) { stop.request_stop(); };
  EXPECT_FALSE(convert_model(model("tiny.en").string(), destination_, options));
  EXPECT_FALSE(fs::exists(destination_));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(Convert, OverwritesNothing) {
  fs::create_directory(destination_);
  EXPECT_NE(error_of({}).find("is there already"), std::string::npos);
  fs::remove(destination_);
  fs::create_directory(part());
  EXPECT_NE(error_of({}).find("from another conversion"), std::string::npos);
  EXPECT_TRUE(fs::remove(part()));
}

TEST_F(Convert, SaysThatCtranslate2QuantisesItself) {
  EXPECT_NE(error_of({.format = ModelFormat::CTranslate2, .type = WeightType::Bits8})
                .find("expected weights of f16, bf16 or f32 for CTranslate2"),
            std::string::npos);
}

}  // namespace
}  // namespace whinchat
