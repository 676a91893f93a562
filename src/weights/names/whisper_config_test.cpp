#include "weights/names/whisper_config.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "weights/fixture.h"

namespace whinchat::weights {
namespace {

base::Json parse(std::string_view text) { return base::parse_json(text, "config.json"); }

TEST(WhisperConfig, ReadsBothFamiliesIntoTheSameFields) {
  EXPECT_EQ(read_hf_config(parse(kHfConfig), "c"), read_mlx_config(parse(kMlxConfig), "c"));
  EXPECT_EQ(read_mlx_config(parse(kMlxConfig), "c").size(), 10u);
}

TEST(WhisperConfig, NamesTheFieldThatIsMissingOrNoNumber) {
  const base::Json whole = parse(kHfConfig);
  for (const auto& [field, value] : whole.items()) {
    base::Json config = whole;
    config.erase(field);
    EXPECT_EQ(message_of([&] { read_hf_config(config, "folder/config.json"); }),
              "folder/config.json: the field " + field + " is missing");
    for (const char* bad : {R"("4")", "null", "0", "-1", "1e9", "4.5", "[4]"}) {
      config[field] = parse(bad);
      const std::string message = message_of([&] { read_hf_config(config, "folder/config.json"); });
      EXPECT_EQ(message.find("folder/config.json: the field " + field + " must"), 0u) << message;
    }
  }
}

TEST(WhisperConfig, RefusesWidthsThatDoNotFit) {
  base::Json config = parse(kMlxConfig);
  config["n_text_head"] = 3;
  EXPECT_NE(message_of([&] { read_mlx_config(config, "c"); }).find("n_text_state to be a multiple"),
            std::string::npos);
  config = parse(kMlxConfig);
  config["n_text_state"] = 8;
  EXPECT_NE(message_of([&] { read_mlx_config(config, "c"); }).find("to be equal, got 4 and 8"),
            std::string::npos);
}

TEST(WhisperConfig, RefusesTheQuantisationsOfTransformers) {
  base::Json config = parse(kHfConfig);
  config["quantization_config"] = {{"load_in_4bit", true}};
  EXPECT_NE(message_of([&] { read_hf_config(config, "c"); }).find("got quantised ones"),
            std::string::npos);
}

TEST(WhisperConfig, KeepsAlignmentHeadsThatTheModelHas) {
  base::Json config = read_mlx_config(parse(kMlxConfig), "c");
  add_alignment_heads(config, parse("{}"), "c");
  add_alignment_heads(config, parse(R"({"alignment_heads":null})"), "c");
  EXPECT_FALSE(config.contains("alignment_heads"));
  add_alignment_heads(config, parse(R"({"alignment_heads":[[0,1],[0,0]]})"), "c");
  EXPECT_EQ(config["alignment_heads"], parse("[[0,1],[0,0]]"));
  add_alignment_heads(config, std::vector<int64_t>{0, 1}, "c");
  EXPECT_EQ(config["alignment_heads"], parse("[[0,1]]"));
}

TEST(WhisperConfig, RefusesAlignmentHeadsThatTheModelHasNot) {
  base::Json config = read_mlx_config(parse(kMlxConfig), "c");
  for (const char* bad :
       {"[[1,0]]", "[[0,2]]", "[[-1,0]]", "[[0]]", "[0,1]", "5", R"([["0",1]])"}) {
    const base::Json file = {{"alignment_heads", parse(bad)}};
    EXPECT_NE(message_of([&] { add_alignment_heads(config, file, "c"); }).find("alignment_heads"),
              std::string::npos)
        << bad;
  }
}

}  // namespace
}  // namespace whinchat::weights
