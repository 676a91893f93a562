#include "weights/names/whisper_ct2.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "weights/formats/ctranslate2_quantised.h"
#include "weights/names/whisper_config.h"
#include "weights/names/whisper_ct2_scopes.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr int64_t kHeadWidth = 64;       // of every Whisper, where num_heads is not stored
constexpr int64_t kAudioContext = 1500;  // where the encoder's positions are not stored

// Tolerated flags of rank 0 with the value that describes Whisper; -1 where any value will do.
struct Flag {
  std::string_view name;
  int64_t value;
};
constexpr Flag kFlags[] = {
    {"decoder/activation", 3},  // the exact GELU
    {"decoder/alibi", 0},
    {"decoder/alibi_use_positive_positions", -1},
    {"decoder/alignment_heads", -1},
    {"decoder/alignment_layer", -1},
    {"decoder/num_heads", -1},
    {"decoder/pre_norm", 1},
    {"decoder/scale_alibi", -1},
    {"decoder/scale_embeddings", 0},
    {"decoder/start_from_zero_embedding", 0},
    {"encoder/activation", 3},
    {"encoder/num_heads", -1},
    {"encoder/pre_norm", 1},
};

std::string_view our_leaf(std::string_view leaf) {
  if (leaf == "gamma" || leaf == "weight") return "weight";
  if (leaf == "beta" || leaf == "bias") return "bias";
  return "";
}

// "decoder/layer_12/ffn/linear_0" → side "decoder", layer 12, rest "ffn/linear_0".
struct BlockScope {
  std::string_view side;
  int64_t layer;
  std::string_view rest;
};

std::optional<BlockScope> block_scope(std::string_view name) {
  constexpr std::string_view kLayer = "/layer_";
  for (const std::string_view side : {"encoder", "decoder"}) {
    if (!name.starts_with(side) || !name.substr(side.size()).starts_with(kLayer)) continue;
    const std::string_view digits = name.substr(side.size() + kLayer.size());
    int64_t layer = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
    if (error != std::errc() || layer < 0 || end == digits.data() + digits.size() || *end != '/') {
      return std::nullopt;
    }
    return BlockScope{side, layer, digits.substr(end - digits.data() + 1)};
  }
  return std::nullopt;
}

template <size_t N>
const Ct2Scope* find_rename(const Ct2Scope (&table)[N], std::string_view theirs) {
  const Ct2Scope* const found = std::ranges::find(table, theirs, &Ct2Scope::theirs);
  return found == std::end(table) ? nullptr : found;
}

// Whether the variable is a flag of rank 0 with a value that we serve.
bool is_known_flag(const std::string& name, const Tensor& tensor, const std::string& source) {
  const auto* const flag = std::ranges::find(kFlags, std::string_view(name), &Flag::name);
  if (flag == std::end(kFlags) || !tensor.shape.empty()) return false;
  const int64_t value = read_integers(tensor, 1, fmt::format("{}: {}", source, name)).at(0);
  if (flag->value >= 0 && value != flag->value) {
    base::fail(ErrorKind::Unsupported, "{}: expected {} to be {} as in Whisper, got {}", source,
               name, flag->value, value);
  }
  return true;
}

// Two tensors, or neither.
bool same_elements(const Tensor* a, const Tensor* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->bytes.data() == b->bytes.data() ||
         (a->dtype == b->dtype && std::ranges::equal(a->bytes, b->bytes));
}

// Our one embedding serves as the output projection too.
// Quantised weights are compared as they are stored: both parts of them.
void check_tied_projection(const WeightMap& variables) {
  const Tensor* projection = variables.find("decoder/projection/weight");
  const Tensor* embeddings = variables.find("decoder/embeddings/weight");
  if (projection == nullptr || embeddings == nullptr) return;
  const bool is_same = same_elements(projection, embeddings) &&
                       same_elements(variables.find("decoder/projection/weight_scale"),
                                     variables.find("decoder/embeddings/weight_scale"));
  if (!is_same) {
    base::fail(ErrorKind::Unsupported,
               "{}: expected decoder/projection/weight to be the embeddings, got other values",
               variables.source());
  }
}

class Naming {
 public:
  explicit Naming(const WeightMap& variables) : variables_(variables), ours_(variables.source()) {}

  WeightMap run() {
    for (const std::string& name : variables_.names()) {
      const Tensor& tensor = *variables_.find(name);
      if (!is_dropped(name, tensor)) add(name, tensor);
    }
    return std::move(ours_);
  }

 private:
  bool is_dropped(const std::string& name, const Tensor& tensor) const {
    return name == "decoder/projection/weight" ||
           name == "encoder/position_encodings/encodings" ||  // computed, as in the oracle
           is_known_flag(name, tensor, variables_.source());
  }

  void add(const std::string& name, const Tensor& tensor) {
    const size_t slash = std::min(name.rfind('/'), name.size());
    const std::string_view scope = std::string_view(name).substr(0, slash);
    const std::string_view leaf =
        slash < name.size() ? our_leaf(std::string_view(name).substr(slash + 1)) : "";
    const std::optional<BlockScope> block = block_scope(name);
    const Ct2Scope* const rename =
        block ? find_rename(kCt2InBlock, block->rest.substr(0, block->rest.rfind('/')))
              : find_rename(kCt2Outside, scope);
    if (name == "decoder/position_encodings/encodings") {
      ours_.insert("decoder.positional_embedding", tensor);
    } else if (rename == nullptr || leaf.empty()) {
      ours_.insert(name, tensor);
    } else {
      const std::string prefix =
          block ? fmt::format("{}.blocks.{}.", block->side, block->layer) : "";
      add_parts(name, tensor, *rename, prefix, leaf);
    }
  }

  void add_parts(const std::string& name, const Tensor& tensor, const Ct2Scope& rename,
                 const std::string& prefix, std::string_view leaf) {
    const auto parts = static_cast<int64_t>(rename.parts());
    if (parts == 1) {
      const bool is_convolution = rename.theirs.find("/conv") != std::string_view::npos;
      const bool moves = is_convolution && tensor.shape.size() == 3;
      ours_.insert(fmt::format("{}{}.{}", prefix, rename.ours[0], leaf),
                   moves ? swap_last_axes(tensor) : tensor);
      return;
    }
    if (tensor.shape.empty() || tensor.shape[0] % parts != 0) {
      base::fail(ErrorKind::Corrupt, "{}: expected {} to hold {} parts of equal rows, got shape {}",
                 variables_.source(), name, parts, shape_text(tensor.shape));
    }
    const int64_t rows = tensor.shape[0] / parts;
    for (int64_t part = 0; part < parts; ++part) {
      const Tensor slice = slice_rows(tensor, part * rows, (part + 1) * rows);
      const std::string_view ours = rename.ours[part];
      if (leaf == "bias" && ours.ends_with(".key")) {
        check_zero(name, slice);
      } else {
        ours_.insert(fmt::format("{}{}.{}", prefix, ours, leaf), slice);
      }
    }
  }

  // Whisper's keys have no bias; the fused form stores zeros for it.
  void check_zero(const std::string& name, const Tensor& key_bias) const {
    if (is_weight_type(key_bias.dtype) && is_all_zero(key_bias)) return;
    base::fail(ErrorKind::Unsupported,
               "{}: expected zeros for the keys' part of {}, got other values", variables_.source(),
               name);
  }

  const WeightMap& variables_;
  WeightMap ours_;
};

const Tensor& require_rank(const WeightMap& variables, std::string_view name, size_t rank) {
  const Tensor* tensor = variables.find(name);
  if (tensor == nullptr) {
    base::fail(ErrorKind::NotFound, "{}: the tensor {} is missing", variables.source(), name);
  }
  if (tensor->shape.size() != rank) {
    base::fail(ErrorKind::Corrupt, "{}: expected {} with {} axes, got shape {}", variables.source(),
               name, rank, shape_text(tensor->shape));
  }
  return *tensor;
}

int64_t layers_of(const WeightMap& variables, std::string_view side) {
  int64_t layers = 0;
  for (const std::string& name : variables.names()) {
    const std::optional<BlockScope> block = block_scope(name);
    if (block && block->side == side && block->layer < INT64_MAX) {
      layers = std::max(layers, block->layer + 1);
    }
  }
  return layers;
}

int64_t heads_of(const WeightMap& variables, const std::string& side, int64_t width) {
  const std::string name = side + "/num_heads";
  if (variables.find(name) == nullptr) return std::max<int64_t>(width / kHeadWidth, 1);
  const Tensor& heads = require_rank(variables, name, 0);
  return read_integers(heads, 1, fmt::format("{}: {}", variables.source(), name)).at(0);
}

}  // namespace

WeightMap name_whisper_ct2(const WeightMap& variables) {
  check_tied_projection(variables);
  return Naming(with_computed_rows(variables)).run();
}

base::Json whisper_ct2_config(const WeightMap& variables) {
  const Tensor& embeddings = require_rank(variables, "decoder/embeddings/weight", 2);
  const Tensor& positions = require_rank(variables, "decoder/position_encodings/encodings", 2);
  const Tensor& conv1 = require_rank(variables, "encoder/conv1/weight", 3);
  const Tensor* audio_positions = variables.find("encoder/position_encodings/encodings");
  const bool has_audio_context = audio_positions != nullptr && audio_positions->shape.size() == 2;
  const base::Json fields = {
      {"n_mels", conv1.shape[1]},
      {"n_audio_ctx", has_audio_context ? audio_positions->shape[0] : kAudioContext},
      {"n_audio_state", conv1.shape[0]},
      {"n_audio_head", heads_of(variables, "encoder", conv1.shape[0])},
      {"n_audio_layer", layers_of(variables, "encoder")},
      {"n_vocab", embeddings.shape[0]},
      {"n_text_ctx", positions.shape[0]},
      {"n_text_state", embeddings.shape[1]},
      {"n_text_head", heads_of(variables, "decoder", embeddings.shape[1])},
      {"n_text_layer", layers_of(variables, "decoder")},
  };
  return read_whisper_config(fields, variables.source());
}

}  // namespace whinchat::weights
