#include "weights/names/whisper_openai.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "weights/tensor.h"
#include "weights/weight_map.h"

namespace whinchat::weights {
namespace {

constexpr std::string_view kAudioPositions = "encoder.positional_embedding";
constexpr std::pair<std::string_view, std::string_view> kRenames[] = {{".mlp.0.", ".mlp1."},
                                                                      {".mlp.2.", ".mlp2."}};

std::string our_name(std::string name) {
  for (const auto& [theirs, ours] : kRenames) {
    const size_t at = name.find(theirs);
    if (at != std::string::npos) return name.replace(at, theirs.size(), ours);
  }
  return name;
}

Tensor in_our_layout(const Tensor& tensor, std::string_view name) {
  if (!name.starts_with("encoder.conv")) return tensor;
  if (tensor.shape.size() == 3) return swap_last_axes(tensor);
  Tensor flat = tensor;
  if (flat.shape.size() == 2 && flat.shape[1] == 1) flat.shape.pop_back();
  return flat;
}

}  // namespace

bool has_whisper_openai_names(const WeightMap& tensors) {
  return tensors.find("encoder.blocks.0.mlp.0.weight") != nullptr ||
         tensors.find("decoder.blocks.0.mlp.0.weight") != nullptr;
}

WeightMap name_whisper_openai(const WeightMap& tensors) {
  WeightMap ours(tensors.source());
  for (const std::string& name : tensors.names()) {
    if (name == kAudioPositions) continue;  // computed, as in the oracle
    ours.insert(our_name(name), in_our_layout(*tensors.find(name), name));
  }
  return ours;
}

}  // namespace whinchat::weights
