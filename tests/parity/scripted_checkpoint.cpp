#include "scripted_checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/json.h"
#include "weights/fixture.h"
#include "weights/tensor.h"

namespace whinchat::parity {
namespace {

constexpr int kWidth = 128;
constexpr int kContext = 448;
constexpr float kCode = 1.0F / 16;  // of a token's embedding
constexpr float kSharpness = 4.0F;  // of the logits: the likeliest one is about 20

using Code = std::vector<float>;
using Tensors = std::map<std::string, std::vector<float>>;

// Nearly orthogonal: ±1, the same on every machine.
Code code_of(int32_t token) {
  std::mt19937 random(static_cast<uint32_t>(token));
  Code code(kWidth);
  for (float& value : code) value = (random() & 1U) != 0 ? 1.0F : -1.0F;
  return code;
}

void add(std::span<float> to, const std::vector<Wish>& wishes) {
  for (const Wish& wish : wishes) {
    const Code code = code_of(wish.token);
    for (size_t i = 0; i < to.size(); ++i) to[i] += static_cast<float>(wish.strength) * code[i];
  }
}

std::span<float> row(std::vector<float>& matrix, int64_t index) {
  return std::span(matrix).subspan(static_cast<size_t>(index) * kWidth, kWidth);
}

void fill_decoder(const CheckpointScript& script, Tensors& tensors) {
  std::vector<float>& positions = tensors.at("decoder.positional_embedding");
  std::set<int32_t> wished = {script.loud.token};
  for (int position = 0; position < kContext; ++position) {
    const std::vector<Wish> wishes = script.wishes(position);
    add(row(positions, position), wishes);
    for (const Wish& wish : wishes) wished.insert(wish.token);
  }
  for (const auto& [token, wishes] : script.wishes_of_token) {
    for (const Wish& wish : wishes) wished.insert(wish.token);
  }
  // Tokens that nothing wishes for have logits of 0.
  std::vector<float>& embedding = tensors.at("decoder.token_embedding.weight");
  for (const int32_t token : wished) {
    const Code code = code_of(token);
    std::ranges::transform(code, row(embedding, token).begin(), [](float x) { return kCode * x; });
  }
  for (const auto& [token, wishes] : script.wishes_of_token) {
    std::ranges::fill(row(embedding, token), 0.0F);
    add(row(embedding, token), wishes);
  }
  std::ranges::fill(tensors.at("decoder.ln.weight"), kSharpness);
}

// The first channel of the features is high in loud frames, and about 0 in silent ones; every
// position of the decoder sees its mean.
void fill_hearing(const CheckpointScript& script, Tensors& tensors) {
  constexpr size_t kMels = 80;
  std::vector<float>& conv1 = tensors.at("encoder.conv1.weight");  // [out, 3, in]
  for (size_t mel = 0; mel < kMels; ++mel) conv1[kMels + mel] = 20.0F / kMels;
  tensors.at("encoder.conv2.weight")[kWidth] = 20;
  std::ranges::fill(tensors.at("encoder.ln_post.weight"), 1.0F);
  const std::string cross = "decoder.blocks.0.cross_attn";
  tensors.at(cross + ".value.weight")[0] = 1.0F / 11;  // of a loud frame, about √width
  const Code code = code_of(script.loud.token);
  std::vector<float>& out = tensors.at(cross + ".out.weight");
  for (size_t i = 0; i < kWidth; ++i) {
    out[i * kWidth] = static_cast<float>(script.loud.strength) * code[i];
  }
}

void write(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

void write_scripted_checkpoint(const std::filesystem::path& folder,
                               const CheckpointScript& script) {
  const base::Json config = {
      {"n_mels", 80},           {"n_audio_ctx", 1500},    {"n_audio_state", kWidth},
      {"n_audio_head", 2},      {"n_audio_layer", 1},     {"n_vocab", kScriptedVocabulary},
      {"n_text_ctx", kContext}, {"n_text_state", kWidth}, {"n_text_head", 2},
      {"n_text_layer", 1}};
  std::vector<weights::Stored> model = weights::make_mlx_model(config, weights::DType::F32);
  Tensors tensors;
  for (const weights::Stored& stored : model) {
    tensors[stored.name].resize(stored.bytes.size() / sizeof(float));
  }
  fill_decoder(script, tensors);
  fill_hearing(script, tensors);
  for (weights::Stored& stored : model) {
    const auto bytes = std::as_bytes(std::span(tensors.at(stored.name)));
    stored.bytes.assign(base::as_text(bytes));
  }
  write(folder / "config.json", config.dump());
  write(folder / "model.safetensors", weights::write_safetensors(model));
}

}  // namespace whinchat::parity
