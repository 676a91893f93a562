#include "weights/names/whisper_hf.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr std::string_view kPrefix = "model.";
constexpr std::string_view kProjection = "proj_out.weight";
constexpr std::string_view kEmbeddings = "decoder.embed_tokens.weight";
constexpr std::string_view kPositions = "decoder.embed_positions.weight";
constexpr std::string_view kAudioPositions = "encoder.embed_positions.weight";

struct Rename {
  std::string_view theirs;
  std::string_view ours;
};
constexpr Rename kInLayer[] = {
    {"self_attn.q_proj", "attn.query"},
    {"self_attn.k_proj", "attn.key"},
    {"self_attn.v_proj", "attn.value"},
    {"self_attn.out_proj", "attn.out"},
    {"self_attn_layer_norm", "attn_ln"},
    {"encoder_attn.q_proj", "cross_attn.query"},
    {"encoder_attn.k_proj", "cross_attn.key"},
    {"encoder_attn.v_proj", "cross_attn.value"},
    {"encoder_attn.out_proj", "cross_attn.out"},
    {"encoder_attn_layer_norm", "cross_attn_ln"},
    {"final_layer_norm", "mlp_ln"},
    {"fc1", "mlp1"},
    {"fc2", "mlp2"},
};
constexpr Rename kOutside[] = {
    {"encoder.conv1", "encoder.conv1"},
    {"encoder.conv2", "encoder.conv2"},
    {"encoder.layer_norm", "encoder.ln_post"},
    {"decoder.layer_norm", "decoder.ln"},
    {"decoder.embed_tokens", "decoder.token_embedding"},
};

std::string_view without_prefix(std::string_view name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

const Tensor* find_either(const WeightMap& tensors, std::string_view name) {
  const Tensor* tensor = tensors.find(fmt::format("{}{}", kPrefix, name));
  return tensor != nullptr ? tensor : tensors.find(name);
}

// "decoder.layers.3.fc1" → "decoder.blocks.3.mlp1"; nothing when it is not known.
std::string our_scope(std::string_view scope) {
  for (const auto& [theirs, ours] : kOutside) {
    if (scope == theirs) return std::string(ours);
  }
  for (const std::string_view side : {"encoder", "decoder"}) {
    const std::string layers = fmt::format("{}.layers.", side);
    if (!scope.starts_with(layers)) continue;
    const std::string_view rest = scope.substr(layers.size());
    const size_t dot = rest.find('.');
    if (dot == std::string_view::npos) return "";
    for (const auto& [theirs, ours] : kInLayer) {
      if (rest.substr(dot + 1) == theirs) {
        return fmt::format("{}.blocks.{}.{}", side, rest.substr(0, dot), ours);
      }
    }
  }
  return "";
}

std::string our_name(std::string_view name) {
  const std::string_view plain = without_prefix(name);
  if (plain == kPositions) return "decoder.positional_embedding";
  const size_t dot = std::min(plain.rfind('.'), plain.size());
  const std::string scope = our_scope(plain.substr(0, dot));
  return scope.empty() ? std::string(name) : fmt::format("{}{}", scope, plain.substr(dot));
}

void check_tied_projection(const WeightMap& tensors) {
  const Tensor* projection = tensors.find(kProjection);
  const Tensor* embeddings = find_either(tensors, kEmbeddings);
  if (projection == nullptr || embeddings == nullptr) return;
  if (projection->dtype != embeddings->dtype ||
      !std::ranges::equal(projection->bytes, embeddings->bytes)) {
    base::fail(ErrorKind::Unsupported, "{}: expected {} to be the embeddings, got other values",
               tensors.source(), kProjection);
  }
}

}  // namespace

bool has_whisper_hf_names(const WeightMap& tensors) {
  return find_either(tensors, kEmbeddings) != nullptr ||
         find_either(tensors, "encoder.layers.0.self_attn.q_proj.weight") != nullptr;
}

WeightMap name_whisper_hf(const WeightMap& tensors) {
  check_tied_projection(tensors);
  WeightMap ours(tensors.source());
  for (const std::string& name : tensors.names()) {
    const Tensor& tensor = *tensors.find(name);
    // The encoder's positions are computed, as in the oracle.
    if (name == kProjection || without_prefix(name) == kAudioPositions) continue;
    std::string our = our_name(name);
    const bool moves = our.starts_with("encoder.conv") && tensor.shape.size() == 3;
    ours.insert(std::move(our), moves ? swap_last_axes(tensor) : tensor);
  }
  return ours;
}

}  // namespace whinchat::weights
