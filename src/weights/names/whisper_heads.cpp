#include "weights/names/whisper_heads.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace whinchat::weights {
namespace {

struct KnownHeads {
  std::string_view model;
  int64_t n_vocab, n_audio_layer, n_text_layer, n_text_head;
  std::string_view heads;   // [layer, head], …
  bool needs_name = false;  // another model has the same dimensions
};

constexpr KnownHeads kKnownHeads[] = {
    {"tiny.en", 51864, 4, 4, 6, "[1,0],[2,0],[2,5],[3,0],[3,1],[3,2],[3,3],[3,4]"},
    {"tiny", 51865, 4, 4, 6, "[2,2],[3,0],[3,2],[3,3],[3,4],[3,5]"},
    {"base.en", 51864, 6, 6, 8, "[3,3],[4,7],[5,1],[5,5],[5,7]"},
    {"base", 51865, 6, 6, 8, "[3,1],[4,2],[4,3],[4,7],[5,1],[5,2],[5,4],[5,6]"},
    {"small.en", 51864, 12, 12, 12,
     "[6,6],[7,0],[7,3],[7,8],[8,2],[8,5],[8,7],[9,0],[9,4],[9,8],[9,10],[10,0],"
     "[10,1],[10,2],[10,3],[10,6],[10,11],[11,2],[11,4]"},
    {"small", 51865, 12, 12, 12, "[5,3],[5,9],[8,0],[8,4],[8,7],[8,8],[9,0],[9,7],[9,9],[10,5]"},
    {"medium.en", 51864, 24, 24, 16,
     "[11,4],[14,1],[14,12],[14,14],[15,4],[16,0],[16,4],[16,9],[17,12],[17,14],"
     "[18,7],[18,10],[18,15],[20,0],[20,3],[20,9],[20,14],[21,12]"},
    {"medium", 51865, 24, 24, 16, "[13,15],[15,4],[15,15],[16,1],[20,0],[23,4]"},
    {"large-v1", 51865, 32, 32, 20,
     "[9,19],[11,2],[11,4],[11,17],[22,7],[22,11],[22,17],[23,2],[23,15]", true},
    {"large-v2", 51865, 32, 32, 20,
     "[10,12],[13,17],[16,11],[16,12],[16,13],[17,15],[17,16],[18,4],[18,11],[18,19],"
     "[19,11],[21,2],[21,3],[22,3],[22,9],[22,12],[23,5],[23,7],[23,13],[25,5],[26,1],"
     "[26,12],[27,15]",
     true},
    {"large-v3", 51866, 32, 32, 20,
     "[7,0],[10,17],[12,18],[13,12],[16,1],[17,14],[19,11],[21,4],[24,1],[25,6]"},
    {"large-v3-turbo", 51866, 32, 4, 20, "[2,4],[2,11],[3,3],[3,6],[3,11],[3,14]"},
};

bool is_of(const KnownHeads& known, const base::Json& config, std::string_view file_name) {
  const auto has = [&](const char* field, int64_t value) {
    return config.at(field).get<int64_t>() == value;
  };
  return has("n_vocab", known.n_vocab) && has("n_audio_layer", known.n_audio_layer) &&
         has("n_text_layer", known.n_text_layer) && has("n_text_head", known.n_text_head) &&
         (!known.needs_name || file_name.find(known.model) != std::string_view::npos);
}

}  // namespace

void add_known_alignment_heads(base::Json& config, std::string_view file_name) {
  const auto* known = std::ranges::find_if(
      kKnownHeads, [&](const KnownHeads& heads) { return is_of(heads, config, file_name); });
  if (known == std::end(kKnownHeads)) return;
  config["alignment_heads"] = base::parse_json(fmt::format("[{}]", known->heads), known->model);
}

}  // namespace whinchat::weights
