#include "transcription/scripted_whisper.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/random_checkpoint.h"
#include "models/whisper/whisper.h"
#include "ops/runtime.h"
#include "text/whisper_tokens.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::transcription {
namespace {

constexpr int kWidth = 64;

models::whisper::ModelDimensions dimensions() {
  models::whisper::ModelDimensions dims = models::whisper::tiny_dimensions();
  dims.n_audio_ctx = 1500;
  dims.n_text_ctx = 448;
  dims.n_audio_state = dims.n_text_state = kWidth;
  dims.n_audio_layer = dims.n_text_layer = 1;
  return dims;
}

// Blocks of zeros add nothing to the embeddings, of which each token of the script has a direction
// of its own: a position points in that of the token behind it.
class Script {
 public:
  Script(const models::whisper::ModelDimensions& dims, const std::vector<int32_t>& next)
      : embedding_(static_cast<size_t>(dims.n_vocab) * kWidth),
        positions_(static_cast<size_t>(dims.n_text_ctx) * kWidth) {
    const int32_t eot = text::WhisperTokens::from_n_vocab(dims.n_vocab).eot;
    for (size_t i = 0; i < static_cast<size_t>(dims.n_text_ctx); ++i) {
      positions_[i * kWidth + direction_of(i < next.size() ? next[i] : eot)] = 8;
    }
    for (const auto& [token, direction] : directions_) {
      embedding_[static_cast<size_t>(token) * kWidth + direction] = 1;
    }
  }

  std::vector<float> values_of(const std::string& name, size_t count) const {
    if (name == "decoder.token_embedding.weight") return embedding_;
    if (name == "decoder.positional_embedding") return positions_;
    return std::vector<float>(count, name == "decoder.ln.weight" ? 10.0F : 0.0F);
  }

 private:
  size_t direction_of(int32_t token) {
    return directions_.try_emplace(token, directions_.size()).first->second;
  }

  std::map<int32_t, size_t> directions_;
  std::vector<float> embedding_, positions_;
};

}  // namespace

models::whisper::Whisper scripted_whisper(const std::vector<int32_t>& next,
                                          const ops::Runtime& runtime) {
  const models::whisper::ModelDimensions dims = dimensions();
  const Script script(dims, next);
  const weights::WeightMap random = models::whisper::random_weights(dims);
  weights::WeightMap scripted("a script");
  for (const std::string& name : random.names()) {
    const weights::Tensor& tensor = *random.find(name);
    const auto values = std::make_shared<std::vector<float>>(
        script.values_of(name, tensor.bytes.size() / sizeof(float)));
    scripted.insert(name, {tensor.dtype, tensor.shape, std::as_bytes(std::span(*values)), values});
  }
  return {std::move(scripted), models::whisper::config_of(dims), runtime};
}

}  // namespace whinchat::transcription
