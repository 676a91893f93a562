#include "weights/checkpoint.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/fixture.h"
#include "weights/json_file.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;

void expect_is_whole(const fs::path& folder) {
  Checkpoint checkpoint = load_checkpoint(folder);
  EXPECT_EQ(checkpoint.config, base::parse_json(kMlxConfig, "config"));
  take_whisper(checkpoint.weights, checkpoint.config);
  EXPECT_EQ(message_of([&] { checkpoint.weights.audit(); }), "");
}

std::string error_of(const Folder& folder) {
  return message_of([&] { load_checkpoint(folder.path()); });
}

TEST(Checkpoint, FindsTheFormatByContent) {
  const Folder ct2;
  ct2.write("model.bin", write_ctranslate2(make_ct2_model(), tied_projection()));
  expect_is_whole(ct2.path());
  const Folder hf;
  hf.write("model.safetensors", write_safetensors(make_hf_model(), 1));
  hf.write("config.json", kHfConfig);
  expect_is_whole(hf.path());
  const Folder mlx;
  mlx.write("weights.safetensors", write_safetensors(make_mlx_model(), 1));
  mlx.write("config.json", kMlxConfig);
  expect_is_whole(mlx.path());
}

TEST(Checkpoint, JoinsShards) {
  const Folder folder;
  const std::vector<Stored> model = make_hf_model();
  base::Json index;
  for (size_t i = 0; i < model.size(); ++i) {
    index["weight_map"][model[i].name] = i % 2 == 0 ? "even.safetensors" : "odd.safetensors";
  }
  std::vector<Stored> shards[2];
  for (size_t i = 0; i < model.size(); ++i) shards[i % 2].push_back(model[i]);
  folder.write("even.safetensors", write_safetensors(shards[0]));
  folder.write("odd.safetensors", write_safetensors(shards[1]));
  folder.write("model.safetensors.index.json", index.dump());
  folder.write("config.json", kHfConfig);
  expect_is_whole(folder.path());
}

TEST(Checkpoint, TensorsOutliveEverythingElse) {
  Tensor tensor;
  {
    const Folder folder;
    folder.write("model.bin", write_ctranslate2(make_ct2_model()));
    tensor = load_checkpoint(folder.path()).weights.take("encoder.blocks.0.mlp1.bias", {16});
  }
  EXPECT_EQ(base::as_text(tensor.bytes), make_stored("encoder.blocks.0.mlp1.bias", {16}).bytes);
}

TEST(Checkpoint, ReadsAlignmentHeadsWhereverTheyAre) {
  const base::Json expected = base::parse_json("[[0,1]]", "heads");
  const Folder ct2;
  ct2.write("model.bin", write_ctranslate2(make_ct2_model()));
  ct2.write("config.json", R"({"alignment_heads":[[0,1]]})");
  EXPECT_EQ(load_checkpoint(ct2.path()).config["alignment_heads"], expected);
  const Folder hf;
  hf.write("model.safetensors", write_safetensors(make_hf_model()));
  hf.write("config.json", kHfConfig);
  hf.write("generation_config.json", R"({"alignment_heads":[[0,1]]})");
  EXPECT_EQ(load_checkpoint(hf.path()).config["alignment_heads"], expected);
  const Folder mlx;
  std::vector<Stored> model = make_mlx_model();
  model.push_back({"alignment_heads", DType::U32, {1, 2}, std::string("\0\0\0\0\1\0\0\0", 8)});
  mlx.write("model.safetensors", write_safetensors(model));
  mlx.write("config.json", kMlxConfig);
  Checkpoint checkpoint = load_checkpoint(mlx.path());
  EXPECT_EQ(checkpoint.config["alignment_heads"], expected);
  take_whisper(checkpoint.weights, checkpoint.config);
  checkpoint.weights.audit();
}

TEST(Checkpoint, NamesTheTokenizerWhereThereIsOne) {
  const Folder folder;
  folder.write("model.bin", write_ctranslate2(make_ct2_model()));
  EXPECT_FALSE(load_checkpoint(folder.path()).tokenizer_json);
  folder.write("tokenizer.json", "{}");
  EXPECT_EQ(load_checkpoint(folder.path()).tokenizer_json, folder.path() / "tokenizer.json");
}

TEST(Checkpoint, SaysWhatItLookedFor) {
  const Folder folder;
  EXPECT_NE(error_of(folder).find("expected model.safetensors, weights.safetensors"),
            std::string::npos);
  folder.write("weights.npz", "PK");
  EXPECT_NE(error_of(folder).find("weights.npz: expected a ZIP archive"), std::string::npos);
  EXPECT_THROW(load_checkpoint(folder.path() / "none"), Error);
}

TEST(Checkpoint, RefusesOtherModelsAndTypes) {
  const Folder folder;
  folder.write("model.safetensors", write_safetensors({make_stored("lm_head.weight", {2, 2})}));
  EXPECT_NE(error_of(folder).find("names such as lm_head.weight"), std::string::npos);
  std::vector<Stored> model = make_mlx_model();
  model[0] = make_stored(model[0].name, model[0].shape, DType::U32);
  folder.write("model.safetensors", write_safetensors(model));
  folder.write("config.json", kMlxConfig);
  EXPECT_NE(error_of(folder).find("expected f32, f16 or bf16 for " + model[0].name + ", got u32"),
            std::string::npos);
}

TEST(Checkpoint, NamesAMissingConfigAndItsFields) {
  const Folder folder;
  folder.write("model.safetensors", write_safetensors(make_hf_model()));
  EXPECT_NE(error_of(folder).find("config.json"), std::string::npos);
  folder.write("config.json", R"({"num_mel_bins":"80"})");
  const std::string message = error_of(folder);
  EXPECT_NE(message.find((folder.path() / "config.json").string()), std::string::npos);
  EXPECT_NE(message.find("num_mel_bins must be a whole number"), std::string::npos);
}

TEST(Checkpoint, WrongDimensionsAreWrongShapes) {
  const Folder folder;
  folder.write("model.safetensors", write_safetensors(make_mlx_model()));
  base::Json config = base::parse_json(kMlxConfig, "config");
  config["n_vocab"] = 1'000'000;
  config["n_text_layer"] = 2;
  folder.write("config.json", config.dump());
  Checkpoint checkpoint = load_checkpoint(folder.path());
  take_whisper(checkpoint.weights, checkpoint.config);
  const std::string message = message_of([&] { checkpoint.weights.audit(); });
  EXPECT_NE(message.find("decoder.token_embedding.weight: expected [1000000, 4], got [5, 4]"),
            std::string::npos);
  EXPECT_NE(message.find("decoder.blocks.1.attn.key.weight [4, 4]"), std::string::npos);
}

// oracles/weights.py wrote what it reads from the same files.
void expect_equals_oracle(const std::string& model, const std::string& data) {
  const fs::path folder = fs::path(WHINCHAT_CACHE) / "models" / model;
  if (!fs::exists(folder / "model.bin")) GTEST_SKIP() << "no model in " << folder;
  const base::Json expected = load_json(fs::path(WHINCHAT_TEST_DATA) / data);
  Checkpoint checkpoint = load_checkpoint(folder);
  EXPECT_EQ(checkpoint.config, expected["config"]);
  EXPECT_TRUE(checkpoint.tokenizer_json);
  take_whisper(checkpoint.weights, checkpoint.config);
  EXPECT_EQ(message_of([&] { checkpoint.weights.audit(); }), "");
  ASSERT_EQ(checkpoint.weights.names().size(), expected["tensors"].size());
  for (const auto& [name, facts] : expected["tensors"].items()) {
    const Tensor* tensor = checkpoint.weights.find(name);
    ASSERT_NE(tensor, nullptr) << name;
    EXPECT_EQ(tensor->dtype, DType::F16) << name;
    EXPECT_EQ(tensor->shape, facts[0].get<std::vector<int64_t>>()) << name;
    EXPECT_EQ(crc32_of(tensor->bytes), facts[1].get<uint32_t>()) << name;
  }
}

TEST(Checkpoint, EqualsTheOracleOnTinyEn) {
  expect_equals_oracle("tiny.en", "weights_tiny_en.json");
}

TEST(Checkpoint, EqualsTheOracleOnBase) { expect_equals_oracle("base", "weights_base.json"); }

}  // namespace
}  // namespace whinchat::weights
