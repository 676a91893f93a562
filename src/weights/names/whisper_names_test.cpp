// Every family's names lead to the same tensors under our names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/fixture.h"
#include "weights/formats/ctranslate2.h"
#include "weights/formats/safetensors.h"
#include "weights/names/whisper_config.h"
#include "weights/names/whisper_ct2.h"
#include "weights/names/whisper_hf.h"
#include "weights/names/whisper_mlx.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

base::Json tiny_config() {
  return read_mlx_config(base::parse_json(kMlxConfig, "config"), "config");
}

Stored& find(std::vector<Stored>& model, std::string_view name) {
  return *std::ranges::find(model, name, &Stored::name);
}

void remove(std::vector<Stored>& model, std::string_view name) {
  std::erase_if(model, [&](const Stored& stored) { return stored.name == name; });
}

// The file must outlive the map.
WeightMap read_ct2(const std::string& file) {
  return read_ctranslate2(base::as_bytes(file), nullptr, "model.bin");
}

WeightMap read_st(const std::string& file) {
  return read_safetensors(base::as_bytes(file), nullptr, "model.safetensors");
}

void expect_is_tiny_model(WeightMap weights) {
  for (const Stored& stored : make_mlx_model()) {
    const Tensor* tensor = weights.find(stored.name);
    ASSERT_NE(tensor, nullptr) << stored.name;
    EXPECT_EQ(tensor->shape, stored.shape) << stored.name;
    EXPECT_EQ(base::as_text(tensor->bytes), stored.bytes) << stored.name;
  }
  take_whisper(weights, tiny_config());
  EXPECT_EQ(message_of([&] { weights.audit(); }), "");
}

std::string ct2_error(const std::vector<Stored>& model) {
  const std::string file = write_ctranslate2(model, tied_projection());
  return message_of([&] {
    WeightMap weights = name_whisper_ct2(read_ct2(file));
    take_whisper(weights, tiny_config());
    weights.audit();
  });
}

TEST(WhisperCt2, SplitsFusedProjectionsAndMovesConvolutionAxes) {
  const std::string file = write_ctranslate2(make_ct2_model(), tied_projection());
  expect_is_tiny_model(name_whisper_ct2(read_ct2(file)));
}

TEST(WhisperCt2, SlicesFusedProjectionsWithoutCopying) {
  const std::string file = write_ctranslate2(make_ct2_model(), tied_projection());
  const WeightMap variables = read_ct2(file);
  const WeightMap weights = name_whisper_ct2(variables);
  const Tensor* fused = variables.find("decoder/layer_0/self_attention/linear_0/weight");
  EXPECT_EQ(weights.find("decoder.blocks.0.attn.key.weight")->bytes.data(),
            fused->bytes.data() + size_t{4} * 4 * 2);
}

// [rows, 4] of i8: 0, 1, 2, … with the scales 1, 2, 4, …
void quantise(std::vector<Stored>& model, const std::string& name) {
  Stored& weight = find(model, name);
  const int64_t rows = weight.shape[0];
  Stored scale{name + "_scale", DType::F32, {rows}, ""};
  std::string bytes;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < 4; ++i) bytes += static_cast<char>(4 * row + i);
    const auto value = static_cast<float>(1U << row);
    scale.bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  weight = {name, DType::I8, {rows, 4}, bytes};
  model.push_back(scale);
}

TEST(WhisperCt2, CutsQuantisedProjectionsTogetherWithTheirScales) {
  std::vector<Stored> model = make_ct2_model();
  quantise(model, "decoder/layer_0/self_attention/linear_0/weight");
  quantise(model, "decoder/embeddings/weight");
  const std::string file = write_ctranslate2(model, tied_projection());
  WeightMap weights = name_whisper_ct2(read_ct2(file));
  const Tensor value = weights.take("decoder.blocks.0.attn.value.weight", {4, 4});
  EXPECT_TRUE(value.bytes.empty());  // nothing is computed before somebody asks
  const Tensor second_row = decoded(slice_rows(value, 1, 2));
  const float expected[] = {36 / 512.0F, 37 / 512.0F, 38 / 512.0F, 39 / 512.0F};
  EXPECT_TRUE(std::ranges::equal(second_row.bytes, std::as_bytes(std::span(expected))));
  take_whisper(weights, tiny_config());
  EXPECT_EQ(message_of([&] { weights.audit(); }), "");
}

TEST(WhisperCt2, FindsTheDimensionsInShapes) {
  std::vector<Stored> model = make_ct2_model();
  EXPECT_EQ(whisper_ct2_config(read_ct2(write_ctranslate2(model))), tiny_config());
  remove(model, "encoder/position_encodings/encodings");
  remove(model, "decoder/num_heads");
  const base::Json config = whisper_ct2_config(read_ct2(write_ctranslate2(model)));
  EXPECT_EQ(config["n_audio_ctx"], 1500);
  EXPECT_EQ(config["n_text_head"], 1);
  remove(model, "decoder/embeddings/weight");
  EXPECT_NE(message_of([&] {
              whisper_ct2_config(read_ct2(write_ctranslate2(model)));
            }).find("decoder/embeddings/weight is missing"),
            std::string::npos);
}

TEST(WhisperCt2, AuditNamesWhatIsMissingOrUnknown) {
  std::vector<Stored> model = make_ct2_model();
  remove(model, "encoder/layer_0/ffn/linear_1/bias");
  model.push_back(make_stored("encoder/adapter/weight", {2, 2}));
  model.push_back(make_flag("decoder/new_flag", 1));
  EXPECT_EQ(ct2_error(model),
            "model.bin: the tensors do not fit the model: 1 missing (encoder.blocks.0.mlp2.bias "
            "[4]); 2 that no part of the model uses (decoder/new_flag, encoder/adapter/weight)");
}

TEST(WhisperCt2, RefusesAKeyBiasThatIsNotZero) {
  std::vector<Stored> model = make_ct2_model();
  find(model, "decoder/layer_0/attention/linear_1/bias").bytes[0] = '\x01';
  EXPECT_NE(
      ct2_error(model).find("zeros for the keys' part of decoder/layer_0/attention/linear_1/bias"),
      std::string::npos);
}

TEST(WhisperCt2, RefusesWhatItCannotServe) {
  std::vector<Stored> post_norm = make_ct2_model();
  find(post_norm, "decoder/pre_norm") = make_flag("decoder/pre_norm", 0);
  EXPECT_NE(ct2_error(post_norm).find("expected decoder/pre_norm to be 1"), std::string::npos);
  std::vector<Stored> ragged = make_ct2_model();
  find(ragged, "encoder/layer_0/self_attention/linear_0/bias") =
      make_stored("encoder/layer_0/self_attention/linear_0/bias", {13});
  EXPECT_NE(ct2_error(ragged).find("3 parts of equal rows, got shape [13]"), std::string::npos);
}

TEST(WhisperCt2, RefusesAnOutputProjectionOfItsOwn) {
  std::vector<Stored> model = make_ct2_model();
  Stored projection = find(model, "decoder/embeddings/weight");
  projection.name = "decoder/projection/weight";
  model.push_back(projection);
  const std::string tied = write_ctranslate2(model);
  EXPECT_EQ(message_of([&] { name_whisper_ct2(read_ct2(tied)); }), "");
  model.back().bytes[3] = model.back().bytes[3] == 'x' ? 'y' : 'x';
  const std::string untied = write_ctranslate2(model);
  EXPECT_NE(message_of([&] { name_whisper_ct2(read_ct2(untied)); }).find("to be the embeddings"),
            std::string::npos);
}

TEST(WhisperCt2, AQuantisedProjectionIsTiedByItsScalesToo) {
  std::vector<Stored> model = make_ct2_model();
  quantise(model, "decoder/embeddings/weight");
  for (const char* leaf : {"", "_scale"}) {
    Stored copy = find(model, std::string("decoder/embeddings/weight") + leaf);
    copy.name = std::string("decoder/projection/weight") + leaf;
    model.push_back(copy);
  }
  const std::string tied = write_ctranslate2(model);
  EXPECT_EQ(message_of([&] { name_whisper_ct2(read_ct2(tied)); }), "");
  model.back().bytes[3] = 'x';
  const std::string untied = write_ctranslate2(model);
  EXPECT_NE(message_of([&] { name_whisper_ct2(read_ct2(untied)); }).find("to be the embeddings"),
            std::string::npos);
}

TEST(WhisperHf, RenamesAndMovesConvolutionAxes) {
  const std::string file = write_safetensors(make_hf_model());
  const WeightMap tensors = read_st(file);
  EXPECT_TRUE(has_whisper_hf_names(tensors));
  EXPECT_FALSE(has_whisper_mlx_names(tensors));
  expect_is_tiny_model(name_whisper_hf(tensors));
}

TEST(WhisperHf, ReadsTheEncoderDecoderWithoutItsPrefix) {
  std::vector<Stored> model = make_hf_model();
  for (Stored& stored : model) stored.name = stored.name.substr(6);
  const std::string file = write_safetensors(model);
  const WeightMap tensors = read_st(file);
  EXPECT_TRUE(has_whisper_hf_names(tensors));
  expect_is_tiny_model(name_whisper_hf(tensors));
}

TEST(WhisperHf, AcceptsATiedProjectionOnly) {
  std::vector<Stored> model = make_hf_model();
  Stored projection = find(model, "model.decoder.embed_tokens.weight");
  projection.name = "proj_out.weight";
  model.push_back(projection);
  const std::string tied = write_safetensors(model);
  expect_is_tiny_model(name_whisper_hf(read_st(tied)));
  model.back().bytes[0] = model.back().bytes[0] == 'x' ? 'y' : 'x';
  const std::string untied = write_safetensors(model);
  EXPECT_NE(message_of([&] { name_whisper_hf(read_st(untied)); }).find("proj_out.weight"),
            std::string::npos);
}

TEST(WhisperMlx, NamesAreOursAlready) {
  std::vector<Stored> model = make_mlx_model();
  model.push_back({"alignment_heads", DType::U32, {1, 2}, std::string("\0\0\0\0\1\0\0\0", 8)});
  const std::string file = write_safetensors(model);
  WeightMap tensors = read_st(file);
  EXPECT_TRUE(has_whisper_mlx_names(tensors));
  EXPECT_FALSE(has_whisper_hf_names(tensors));
  EXPECT_EQ(read_alignment_heads(tensors), (std::vector<int64_t>{0, 1}));
  tolerate_whisper_mlx(tensors);
  expect_is_tiny_model(tensors);
}

TEST(WhisperMlx, RefusesAlignmentHeadsOfAnotherShape) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2}, {2, 3}}) {
    const std::string file = write_safetensors({make_stored("alignment_heads", shape, DType::U32)});
    EXPECT_NE(message_of([&] {
                read_alignment_heads(read_st(file));
              }).find("[N, 2], got " + shape_text(shape)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace whinchat::weights
