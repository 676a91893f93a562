#include "models/whisper/random_checkpoint.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/runtime.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::models::whisper {
namespace {

class RandomWeights {
 public:
  explicit RandomWeights(weights::WeightMap& map) : map_(map) {}

  void tensor(const std::string& name, std::vector<int64_t> shape) {
    size_t count = 1;
    for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
    const auto values = std::make_shared<std::vector<float>>(count);
    std::normal_distribution<float> normal(0.0F, 0.3F);
    for (float& value : *values) value = normal(random_);
    map_.insert(name,
                {weights::DType::F32, std::move(shape), std::as_bytes(std::span(*values)), values});
  }

  void linear(const std::string& scope, int in, int out, bool bias) {
    tensor(scope + ".weight", {out, in});
    if (bias) tensor(scope + ".bias", {out});
  }

  void norm(const std::string& scope, int width) {
    tensor(scope + ".weight", {width});
    tensor(scope + ".bias", {width});
  }

  void attention(const std::string& scope, int width) {
    norm(scope + "_ln", width);
    for (const char* name : {".query", ".key", ".value", ".out"}) {
      linear(scope + name, width, width, std::string(name) != ".key");
    }
  }

  void block(const std::string& scope, int width, bool cross) {
    attention(scope + ".attn", width);
    if (cross) attention(scope + ".cross_attn", width);
    norm(scope + ".mlp_ln", width);
    linear(scope + ".mlp1", width, 4 * width, true);
    linear(scope + ".mlp2", 4 * width, width, true);
  }

 private:
  weights::WeightMap& map_;
  std::mt19937 random_{1};
};

}  // namespace

ModelDimensions tiny_dimensions() {
  return {.n_mels = 80,
          .n_audio_ctx = 12,
          .n_audio_state = 16,
          .n_audio_head = 2,
          .n_audio_layer = 2,
          .n_vocab = 51865,
          .n_text_ctx = 16,
          .n_text_state = 16,
          .n_text_head = 2,
          .n_text_layer = 2};
}

base::Json config_of(const ModelDimensions& dims) {
  return {{"n_mels", dims.n_mels},
          {"n_audio_ctx", dims.n_audio_ctx},
          {"n_audio_state", dims.n_audio_state},
          {"n_audio_head", dims.n_audio_head},
          {"n_audio_layer", dims.n_audio_layer},
          {"n_vocab", dims.n_vocab},
          {"n_text_ctx", dims.n_text_ctx},
          {"n_text_state", dims.n_text_state},
          {"n_text_head", dims.n_text_head},
          {"n_text_layer", dims.n_text_layer}};
}

weights::WeightMap random_weights(const ModelDimensions& dims) {
  weights::WeightMap map("random weights");
  RandomWeights weights(map);
  const int width = dims.n_text_state;
  weights.tensor("encoder.conv1.weight", {width, 3, dims.n_mels});
  weights.tensor("encoder.conv1.bias", {width});
  weights.tensor("encoder.conv2.weight", {width, 3, width});
  weights.tensor("encoder.conv2.bias", {width});
  for (int i = 0; i < dims.n_audio_layer; ++i) {
    weights.block("encoder.blocks." + std::to_string(i), width, false);
  }
  weights.norm("encoder.ln_post", width);
  weights.tensor("decoder.token_embedding.weight", {dims.n_vocab, width});
  weights.tensor("decoder.positional_embedding", {dims.n_text_ctx, width});
  for (int i = 0; i < dims.n_text_layer; ++i) {
    weights.block("decoder.blocks." + std::to_string(i), width, true);
  }
  weights.norm("decoder.ln", width);
  return map;
}

Whisper random_whisper(const ops::Runtime& runtime) {
  const ModelDimensions dims = tiny_dimensions();
  return {random_weights(dims), config_of(dims), runtime};
}

}  // namespace whinchat::models::whisper
