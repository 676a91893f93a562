#include "models/whisper/dimensions.h"

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "weights/names/whisper_config.h"

namespace whinchat::models::whisper {
namespace {

constexpr const char* kConfig = "the model's config.json";

}  // namespace

ModelDimensions read_dimensions(const base::Json& config, const std::string& source) {
  const base::Json checked = weights::read_whisper_config(config, source);
  const auto field = [&](const char* name, int minimum, int maximum) {
    return static_cast<int>(base::require_integer(checked, name, source, minimum, maximum));
  };
  const ModelDimensions dims{
      .n_mels = field("n_mels", 80, 128),
      .n_audio_ctx = field("n_audio_ctx", 1, kWindowFrames / 2),
      .n_audio_state = field("n_audio_state", 4, 8192),
      .n_audio_head = field("n_audio_head", 1, 256),
      .n_audio_layer = field("n_audio_layer", 1, 256),
      .n_vocab = field("n_vocab", 51864, 51866),
      .n_text_ctx = field("n_text_ctx", 16, 4096),
      .n_text_state = field("n_text_state", 4, 8192),
      .n_text_head = field("n_text_head", 1, 256),
      .n_text_layer = field("n_text_layer", 1, 256),
  };
  if (dims.n_mels != 80 && dims.n_mels != 128) {
    base::fail(ErrorKind::Corrupt, "{}: n_mels must be 80 or 128, got {}", source, dims.n_mels);
  }
  return dims;
}

std::vector<std::pair<int, int>> read_alignment_heads(const base::Json& config,
                                                      const ModelDimensions& dims) {
  base::Json checked = config;
  weights::add_alignment_heads(checked, config, kConfig);
  std::vector<std::pair<int, int>> heads;
  const auto field = checked.find("alignment_heads");
  if (field == checked.end() || field->is_null()) {
    for (int layer = dims.n_text_layer / 2; layer < dims.n_text_layer; ++layer) {
      for (int head = 0; head < dims.n_text_head; ++head) heads.emplace_back(layer, head);
    }
    return heads;
  }
  for (const base::Json& pair : *field) heads.emplace_back(pair[0].get<int>(), pair[1].get<int>());
  return heads;
}

}  // namespace whinchat::models::whisper
