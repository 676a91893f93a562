#include "models/whisper/dimensions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "models/whisper/random_checkpoint.h"

namespace whinchat::models::whisper {
namespace {

std::string error_of(const base::Json& config) {
  try {
    read_alignment_heads(config, read_dimensions(config, "folder/config.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Corrupt);
    return error.what();
  }
  return "";
}

TEST(ModelDimensions, NameEachFieldThatIsMissingOrNoNumber) {
  const base::Json good = config_of(tiny_dimensions());
  EXPECT_EQ(error_of(good), "");
  for (const auto& [name, value] : good.items()) {
    base::Json config = good;
    config.erase(name);
    EXPECT_EQ(error_of(config), "folder/config.json: the field " + name + " is missing");
    for (const base::Json& bad : {base::Json("8"), base::Json(nullptr), base::Json(1e12),
                                  base::Json(-1), base::Json(0.5), base::Json::array()}) {
      config[name] = bad;
      EXPECT_NE(error_of(config).find(name), std::string::npos) << error_of(config);
    }
  }
}

TEST(ModelDimensions, RefuseWhatContradictsItself) {
  const base::Json good = config_of(tiny_dimensions());
  for (const auto& [name, value] : std::vector<std::pair<std::string, int>>{
           {"n_mels", 100}, {"n_audio_state", 8}, {"n_text_head", 3}, {"n_audio_head", 5}}) {
    base::Json config = good;
    config[name] = value;
    EXPECT_NE(error_of(config).find(name), std::string::npos) << error_of(config);
  }
}

TEST(AlignmentHeads, AreReadAndCheckedAgainstTheModel) {
  base::Json config = config_of(tiny_dimensions());
  const ModelDimensions dims = read_dimensions(config);
  config["alignment_heads"] = {{0, 1}, {1, 0}};
  const std::vector<std::pair<int, int>> expected = {{0, 1}, {1, 0}};
  EXPECT_EQ(read_alignment_heads(config, dims), expected);
  for (const char* bad : {"[[2,0]]", "[[0,2]]", "[[0]]", "[[-1,0]]", "[0]", "3", "[[0,\"1\"]]"}) {
    config["alignment_heads"] = base::parse_json(bad, "test");
    EXPECT_NE(error_of(config).find("alignment_heads"), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace whinchat::models::whisper
