// Models that are written are read again as what they were.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/file_map.h"
#include "base/json.h"
#include "weights/array.h"
#include "weights/checkpoint.h"
#include "weights/fixture.h"
#include "weights/formats/ctranslate2_writer.h"
#include "weights/formats/mlx_quantised.h"
#include "weights/formats/planned_tensor.h"
#include "weights/formats/safetensors_writer.h"
#include "weights/names/whisper_ct2_plan.h"
#include "weights/names/whisper_mlx_plan.h"
#include "weights/names/whisper_tensors.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

namespace fs = std::filesystem;

bool go_on(uint64_t) { return true; }

void write_mlx(const Folder& folder, Checkpoint& checkpoint, DType dtype,
               const std::optional<MlxQuantisation>& how = std::nullopt) {
  const auto plan = plan_whisper_mlx(checkpoint.weights, checkpoint.config, dtype, how);
  EXPECT_TRUE(write_safetensors(folder.path() / "weights.safetensors", plan, go_on));
  folder.write("config.json", whisper_mlx_config(checkpoint.config, how).dump());
}

void write_ct2(const Folder& folder, Checkpoint& checkpoint, DType dtype) {
  const auto plan = plan_whisper_ct2(checkpoint.weights, checkpoint.config, dtype);
  EXPECT_TRUE(write_ctranslate2(folder.path() / "model.bin", plan, whisper_ct2_aliases(), go_on));
  const base::Json heads = {{"alignment_heads", checkpoint.config["alignment_heads"]}};
  folder.write("config.json", heads.dump());
}

void expect_same(const Checkpoint& a, const Checkpoint& b, DType dtype) {
  EXPECT_EQ(a.config, b.config);
  for (const auto& [name, shape] : whisper_tensors(a.config)) {
    const Tensor* tensor = b.weights.find(name);
    ASSERT_NE(tensor, nullptr) << name;
    EXPECT_EQ(tensor->dtype, dtype) << name;
    EXPECT_EQ(tensor->shape, shape) << name;
    const Tensor expected = converted(*a.weights.find(name), dtype);
    EXPECT_TRUE(std::ranges::equal(tensor->bytes, expected.bytes)) << name;
  }
}

// The small model of the fixture, with heads.
struct Small {
  Small() {
    folder.write("weights.safetensors", write_safetensors(make_mlx_model()));
    std::string config(kMlxConfig);
    config.replace(config.rfind('}'), 1, R"(,"alignment_heads":[[0,1]]})");
    folder.write("config.json", config);
  }
  Checkpoint load() const { return load_checkpoint(folder.path()); }

  Folder folder;
};

TEST(Writing, EveryTypeOfMlxIsReadAgain) {
  const Small small;
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const Folder written;
    Checkpoint checkpoint = small.load();
    write_mlx(written, checkpoint, dtype);
    expect_same(checkpoint, load_checkpoint(written.path()), dtype);
  }
}

TEST(Writing, EveryTypeOfCtranslate2IsReadAgain) {
  const Small small;
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    const Folder written;
    Checkpoint checkpoint = small.load();
    write_ct2(written, checkpoint, dtype);
    expect_same(checkpoint, load_checkpoint(written.path()), dtype);
  }
}

TEST(Writing, CodesAreWhatTheQuantisedTensorsDecodeTo) {
  base::Json config = base::parse_json(kMlxConfig, "config");
  config["n_audio_state"] = config["n_text_state"] = 64;
  const Folder source;
  source.write("weights.safetensors", write_safetensors(make_mlx_model(
                                          config, DType::BF16)));  // no random NaN or infinity
  source.write("config.json", config.dump());
  for (const int64_t bits : {4, 8}) {
    const Folder written;
    Checkpoint checkpoint = load_checkpoint(source.path());
    const MlxQuantisation how{64, bits};
    write_mlx(written, checkpoint, DType::F32, how);
    const Checkpoint read = load_checkpoint(written.path());
    EXPECT_TRUE(read.is_quantised);
    const std::string name = "decoder.blocks.0.cross_attn.key.weight";
    const MlxQuantised parts = quantise(converted(*checkpoint.weights.find(name), DType::F32), how);
    WeightMap tensors("parts");
    tensors.insert("a.weight", parts.codes);
    tensors.insert("a.scales", parts.scales);
    tensors.insert("a.biases", parts.biases);
    const WeightMap computed = with_computed_rows(tensors, how);
    EXPECT_TRUE(std::ranges::equal(decoded(*read.weights.find(name)).bytes,
                                   decoded(*computed.find("a.weight")).bytes));
    EXPECT_EQ(read.weights.find("encoder.conv1.weight")->decoder, nullptr);
  }
}

TEST(Writing, RefusesToQuantiseRowsOfNoWholeGroups) {
  Checkpoint checkpoint = Small().load();
  EXPECT_NE(message_of([&] {
              plan_whisper_mlx(checkpoint.weights, checkpoint.config, DType::F16,
                               MlxQuantisation{});
            }).find("whole groups of 64"),
            std::string::npos);
}

TEST(Writing, AnIncompleteModelIsNamedBeforeAnythingIsWritten) {
  for (const bool is_ct2 : {false, true}) {
    Checkpoint checkpoint{WeightMap("model"), base::parse_json(kMlxConfig, "c"), "c", std::nullopt};
    const std::string message = message_of([&] {
      is_ct2 ? plan_whisper_ct2(checkpoint.weights, checkpoint.config, DType::F16)
             : plan_whisper_mlx(checkpoint.weights, checkpoint.config, DType::F16, std::nullopt);
    });
    EXPECT_NE(message.find("model: the tensors do not fit the model: "), std::string::npos);
  }
}

TEST(Writing, AStopEndsItBetweenTensors) {
  const Small small;
  Checkpoint checkpoint = small.load();
  const auto plan =
      plan_whisper_mlx(checkpoint.weights, checkpoint.config, DType::F16, std::nullopt);
  int calls = 0;
  EXPECT_FALSE(write_safetensors(small.folder.path() / "cut.safetensors", plan,
                                 [&](uint64_t) { return ++calls < 3; }));
  EXPECT_EQ(calls, 3);
}

// CTranslate2's own converter made base's model.bin, with the flags of 4.8.
TEST(Writing, EqualsTheFileOfCtranslate2sOwnConverter) {
  const fs::path folder = fs::path(WHINCHAT_CACHE) / "models" / "base";
  if (!fs::exists(folder / "model.bin")) GTEST_SKIP() << "no model in " << folder;
  Checkpoint checkpoint = load_checkpoint(folder);
  const Folder written;
  write_ct2(written, checkpoint, DType::F16);
  const auto ours = base::FileMap::open(written.path() / "model.bin");
  const auto theirs = base::FileMap::open(folder / "model.bin");
  ASSERT_EQ(ours->bytes().size(), theirs->bytes().size());
  EXPECT_TRUE(std::ranges::equal(ours->bytes(), theirs->bytes()));
}

}  // namespace
}  // namespace whinchat::weights
