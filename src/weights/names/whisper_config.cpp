#include "weights/names/whisper_config.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

struct Field {
  const char* ours;
  const char* hf;
  int64_t maximum;
};

constexpr Field kFields[] = {
    {"n_mels", "num_mel_bins", 1024},
    {"n_audio_ctx", "max_source_positions", 100'000},
    {"n_audio_state", "d_model", 65'536},
    {"n_audio_head", "encoder_attention_heads", 1024},
    {"n_audio_layer", "encoder_layers", 1000},
    {"n_vocab", "vocab_size", 1'000'000},
    {"n_text_ctx", "max_target_positions", 100'000},
    {"n_text_state", "d_model", 65'536},
    {"n_text_head", "decoder_attention_heads", 1024},
    {"n_text_layer", "decoder_layers", 1000},
};

int64_t value_of(const base::Json& config, const char* field) {
  return config[field].get<int64_t>();
}

base::Json read_fields(const base::Json& file, const char* Field::* name,
                       const std::string& source) {
  base::Json config = base::Json::object();
  for (const Field& field : kFields) {
    config[field.ours] = base::require_integer(file, field.*name, source, 1, field.maximum);
  }
  for (const auto& [width, heads] :
       {std::pair("n_audio_state", "n_audio_head"), std::pair("n_text_state", "n_text_head")}) {
    if (value_of(config, width) % value_of(config, heads) != 0) {
      base::fail(ErrorKind::Corrupt, "{}: expected {} to be a multiple of {}, got {} and {}",
                 source, width, heads, value_of(config, width), value_of(config, heads));
    }
  }
  if (value_of(config, "n_audio_state") != value_of(config, "n_text_state")) {
    base::fail(ErrorKind::Corrupt,
               "{}: expected n_audio_state and n_text_state to be equal, got {} and {}", source,
               value_of(config, "n_audio_state"), value_of(config, "n_text_state"));
  }
  return config;
}

void add_pair(base::Json& config, int64_t layer, int64_t head, const std::string& source) {
  const int64_t layers = value_of(config, "n_text_layer");
  const int64_t heads = value_of(config, "n_text_head");
  if (layer < 0 || layer >= layers || head < 0 || head >= heads) {
    base::fail(ErrorKind::Corrupt,
               "{}: expected alignment_heads within {} layers of {} heads, got [{}, {}]", source,
               layers, heads, layer, head);
  }
  config["alignment_heads"].push_back({layer, head});
}

bool is_pair(const base::Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
         value[1].is_number_integer();
}

}  // namespace

base::Json read_mlx_config(const base::Json& file, const std::string& source) {
  base::Json config = read_fields(file, &Field::ours, source);
  add_alignment_heads(config, file, source);
  return config;
}

base::Json read_hf_config(const base::Json& file, const std::string& source) {
  if (file.is_object() && file.contains("quantization_config")) {
    base::fail(ErrorKind::Unsupported,
               "{}: expected f32, f16 or bf16 weights, got quantised ones (quantization_config)",
               source);
  }
  return read_fields(file, &Field::hf, source);
}

base::Json read_whisper_config(const base::Json& fields, const std::string& source) {
  return read_fields(fields, &Field::ours, source);
}

void add_alignment_heads(base::Json& config, const base::Json& file, const std::string& source) {
  if (!file.is_object()) base::fail(ErrorKind::Corrupt, "{}: expected an object", source);
  const auto list = file.find("alignment_heads");
  if (list == file.end() || list->is_null()) return;
  if (!list->is_array()) {
    base::fail(ErrorKind::Corrupt, "{}: the field alignment_heads must be a list, got {}", source,
               list->type_name());
  }
  config["alignment_heads"] = base::Json::array();
  for (const base::Json& pair : *list) {
    if (!is_pair(pair)) {
      base::fail(ErrorKind::Corrupt, "{}: the field alignment_heads must hold [layer, head] pairs",
                 source);
    }
    add_pair(config, pair[0].get<int64_t>(), pair[1].get<int64_t>(), source);
  }
}

void add_alignment_heads(base::Json& config, const std::vector<int64_t>& pairs,
                         const std::string& source) {
  if (pairs.size() % 2 != 0) {
    base::fail(ErrorKind::Corrupt, "{}: expected alignment_heads of pairs, got {} numbers", source,
               pairs.size());
  }
  config["alignment_heads"] = base::Json::array();
  for (size_t i = 0; i < pairs.size(); i += 2) add_pair(config, pairs[i], pairs[i + 1], source);
}

}  // namespace whinchat::weights
