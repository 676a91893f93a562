// A model that is one file, by its path or in a folder.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "weights/checkpoint.h"
#include "weights/fixture.h"
#include "weights/names/whisper_heads.h"
#include "weights/single_file_fixture.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;

base::Json tiny_config() { return base::parse_json(kMlxConfig, "config"); }
std::string ggml() { return write_ggml(as_ggml(make_openai_model()), tiny_config()); }
std::string pt() { return write_pt(make_openai_model(), tiny_config()); }

void expect_is_whole(const fs::path& path) {
  Checkpoint checkpoint = load_checkpoint(path);
  EXPECT_EQ(checkpoint.config, tiny_config()) << path;
  EXPECT_FALSE(checkpoint.tokenizer_json) << path;
  take_whisper(checkpoint.weights, checkpoint.config);
  EXPECT_EQ(message_of([&] { checkpoint.weights.audit(); }), "") << path;
}

std::string error_of(const fs::path& path) {
  return message_of([&] { load_checkpoint(path); });
}

TEST(SingleFile, IsReadByItsContentWhateverItsName) {
  const Folder folder;
  folder.write("ggml-base.bin", ggml());
  folder.write("base.pt", pt());
  folder.write("model", ggml());
  folder.write("pt.bin", pt());
  folder.write("tokenizer.json", "of another model");
  for (const char* name : {"ggml-base.bin", "base.pt", "model", "pt.bin"}) {
    expect_is_whole(folder.path() / name);
  }
}

TEST(SingleFile, IsFoundInAFolder) {
  for (const char* name : {"ggml-base.bin", "model.bin"}) {
    const Folder folder;
    folder.write(name, ggml());
    expect_is_whole(folder.path());
  }
  for (const char* name : {"base.pt", "model.bin", "pytorch_model.bin"}) {
    const Folder folder;
    folder.write(name, pt());
    expect_is_whole(folder.path());
  }
}

TEST(SingleFile, OfAFoldersModelIsReadToo) {
  const Folder folder;
  folder.write("model.bin", write_ctranslate2(make_ct2_model()));
  folder.write("other.safetensors", write_safetensors(make_hf_model()));
  folder.write("config.json", kHfConfig);
  folder.write("tokenizer.json", "{}");
  for (const char* name : {"model.bin", "other.safetensors"}) {
    const Checkpoint checkpoint = load_checkpoint(folder.path() / name);
    EXPECT_EQ(checkpoint.config, tiny_config()) << name;
    EXPECT_EQ(checkpoint.tokenizer_json, folder.path() / "tokenizer.json") << name;
  }
}

TEST(SingleFile, TorchsFileOfHuggingFacesTensorsIsReadWithItsConfig) {
  const Folder folder;
  std::string dict;
  Members members;
  for (const Stored& stored : make_hf_model()) {
    const std::string key = std::to_string(members.size());
    dict += pickled::text(stored.name) + pickled::tensor(stored, key);
    members.emplace_back("a/data/" + key, stored.bytes);
  }
  members.emplace_back("a/data.pkl", pickled::whole(pickled::dict(dict)));
  folder.write("pytorch_model.bin", write_zip(members));
  folder.write("config.json", kHfConfig);
  expect_is_whole(folder.path());
}

TEST(SingleFile, IsNotChosenAmongSeveral) {
  const Folder folder;
  folder.write("ggml-base.bin", ggml());
  folder.write("ggml-tiny.bin", ggml());
  EXPECT_NE(error_of(folder.path())
                .find("expected one model, got ggml-base.bin, ggml-tiny.bin: "
                      "name the file"),
            std::string::npos);
}

TEST(SingleFile, OfAnotherKindIsRefusedWithWhatCanBeRead) {
  const Folder folder;
  const std::string can =
      "expected a model as one file, whisper.cpp's ggml or openai-whisper's .pt";
  folder.write("text", "no model at all, in many words");
  folder.write("empty", "");
  folder.write("gguf", "GGUF and more");
  for (const char* name : {"text", "empty", "gguf"}) {
    EXPECT_NE(error_of(folder.path() / name).find(can), std::string::npos) << name;
  }
  EXPECT_NE(error_of(folder.path() / "gguf").find("got GGUF, which no Whisper comes in"),
            std::string::npos);
  folder.write("model.bin", "GGUF and more");
  EXPECT_NE(error_of(folder.path()).find("got GGUF"), std::string::npos);
  folder.write("old.pt", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.");
  EXPECT_NE(error_of(folder.path() / "old.pt").find("torch.save(torch.load(file), new)"),
            std::string::npos);
  EXPECT_NE(error_of(folder.path() / "none").find("none, which does not exist"), std::string::npos);
  EXPECT_NE(error_of("/dev/null").find("/dev/null, which is neither"), std::string::npos);
}

TEST(SingleFile, OfOpenaisTensorsNeedsItsDimensions) {
  const Folder folder;
  const Stored stored = make_stored("encoder.blocks.0.mlp.0.weight", {16, 4});
  const std::string dict = pickled::dict(pickled::text(stored.name) + pickled::tensor(stored, "0"));
  folder.write("a.pt",
               write_zip({{"a/data/0", stored.bytes}, {"a/data.pkl", pickled::whole(dict)}}));
  EXPECT_NE(error_of(folder.path()).find("expected dims and model_state_dict as openai-whisper"),
            std::string::npos);
  folder.write("a.pt", write_pt(make_openai_model(), {{"n_mels", 3}}));
  EXPECT_NE(error_of(folder.path()).find("a.pt: the field n_audio_ctx is missing"),
            std::string::npos);
}

base::Json dimensions(int n_vocab, int n_audio_layer, int n_text_layer, int n_text_head) {
  return {{"n_vocab", n_vocab},
          {"n_audio_layer", n_audio_layer},
          {"n_text_layer", n_text_layer},
          {"n_text_head", n_text_head}};
}

// How many heads, and the last of them as [layer, head]; from openai-whisper's own table.
void expect_heads(base::Json config, std::string_view file_name, size_t count, int layer,
                  int head) {
  add_known_alignment_heads(config, file_name);
  ASSERT_EQ(config.contains("alignment_heads"), count > 0) << file_name;
  if (count == 0) return;
  const base::Json& heads = config["alignment_heads"];
  EXPECT_EQ(heads.size(), count) << file_name;
  EXPECT_EQ(heads.back(), base::Json({layer, head})) << file_name;
}

TEST(AlignmentHeads, AreKnownByDimensionsAndAmongTwinsByName) {
  expect_heads(dimensions(51864, 4, 4, 6), "x", 8, 3, 4);
  expect_heads(dimensions(51865, 4, 4, 6), "x", 6, 3, 5);
  expect_heads(dimensions(51864, 6, 6, 8), "x", 5, 5, 7);
  expect_heads(dimensions(51865, 6, 6, 8), "x", 8, 5, 6);
  expect_heads(dimensions(51864, 12, 12, 12), "x", 19, 11, 4);
  expect_heads(dimensions(51865, 12, 12, 12), "x", 10, 10, 5);
  expect_heads(dimensions(51864, 24, 24, 16), "x", 18, 21, 12);
  expect_heads(dimensions(51865, 24, 24, 16), "x", 6, 23, 4);
  expect_heads(dimensions(51866, 32, 32, 20), "large.pt", 10, 25, 6);
  expect_heads(dimensions(51866, 32, 4, 20), "large.pt", 6, 3, 14);
  expect_heads(dimensions(51865, 32, 32, 20), "ggml-large-v1.bin", 9, 23, 15);
  expect_heads(dimensions(51865, 32, 32, 20), "large-v2.pt", 23, 27, 15);
  expect_heads(dimensions(51865, 32, 32, 20), "ggml-large.bin", 0, 0, 0);
  expect_heads(dimensions(51866, 32, 2, 20), "distil-large-v3.bin", 0, 0, 0);
  expect_heads(dimensions(51864, 12, 4, 12), "distil-small.en.bin", 0, 0, 0);
}

TEST(AlignmentHeads, ComeWithASingleFile) {
  base::Json config = tiny_config();
  config.update({{"n_vocab", 51865}, {"n_text_layer", 6}, {"n_audio_layer", 6}});
  config.update({{"n_text_head", 8}, {"n_audio_state", 8}, {"n_text_state", 8}});
  const Folder folder;
  folder.write("a.bin", write_ggml({}, config));
  EXPECT_EQ(load_checkpoint(folder.path() / "a.bin").config["alignment_heads"].size(), 8);
}

}  // namespace
}  // namespace whinchat::weights
