#include "models/whisper/dimensions.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace whinchat::models::whisper {
namespace {

constexpr std::string_view kConfig = "the model's config.json";

void require_heads_divide(int state, int heads, std::string_view side) {
  if (state % heads != 0) {
    base::fail(ErrorKind::Corrupt, "{}: n_{}_state {} is no multiple of n_{}_head {}", kConfig,
               side, state, side, heads);
  }
}

}  // namespace

ModelDimensions read_dimensions(const base::Json& config) {
  const auto field = [&](const char* name, int minimum, int maximum) {
    return static_cast<int>(base::require_integer(config, name, kConfig, minimum, maximum));
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
    base::fail(ErrorKind::Corrupt, "{}: n_mels must be 80 or 128, got {}", kConfig, dims.n_mels);
  }
  if (dims.n_audio_state != dims.n_text_state) {
    base::fail(ErrorKind::Corrupt, "{}: n_audio_state {} differs from n_text_state {}", kConfig,
               dims.n_audio_state, dims.n_text_state);
  }
  require_heads_divide(dims.n_audio_state, dims.n_audio_head, "audio");
  require_heads_divide(dims.n_text_state, dims.n_text_head, "text");
  return dims;
}

std::vector<std::pair<int, int>> read_alignment_heads(const base::Json& config,
                                                      const ModelDimensions& dims) {
  std::vector<std::pair<int, int>> heads;
  const auto field = config.find("alignment_heads");
  if (field == config.end() || field->is_null()) {
    for (int layer = dims.n_text_layer / 2; layer < dims.n_text_layer; ++layer) {
      for (int head = 0; head < dims.n_text_head; ++head) heads.emplace_back(layer, head);
    }
    return heads;
  }
  if (!field->is_array()) {
    base::fail(ErrorKind::Corrupt, "{}: alignment_heads must be a list of [layer, head]", kConfig);
  }
  for (const base::Json& pair : *field) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number_integer() &&
                         pair[1].is_number_integer();
    const int layer = is_pair ? pair[0].get<int>() : -1;
    const int head = is_pair ? pair[1].get<int>() : -1;
    if (layer < 0 || layer >= dims.n_text_layer || head < 0 || head >= dims.n_text_head) {
      base::fail(ErrorKind::Corrupt,
                 "{}: alignment_heads must hold [layer, head] below [{}, {}], got {}", kConfig,
                 dims.n_text_layer, dims.n_text_head, pair.dump());
    }
    heads.emplace_back(layer, head);
  }
  return heads;
}

}  // namespace whinchat::models::whisper
