#include "weights/names/whisper_mlx.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "weights/tensor.h"
#include "weights/weight_map.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr const char* kAlignmentHeads = "alignment_heads";
constexpr size_t kMaxNumbers = 20'000;

}  // namespace

bool has_whisper_mlx_names(const WeightMap& tensors) {
  return tensors.find("decoder.token_embedding.weight") != nullptr ||
         tensors.find("encoder.blocks.0.attn.query.weight") != nullptr;
}

void tolerate_whisper_mlx(WeightMap& tensors) {
  tensors.tolerate(kAlignmentHeads);
  tensors.tolerate("encoder.positional_embedding");  // computed, as in the oracle
}

std::optional<std::vector<int64_t>> read_alignment_heads(const WeightMap& tensors) {
  const Tensor* heads = tensors.find(kAlignmentHeads);
  if (heads == nullptr) return std::nullopt;
  if (heads->shape.size() != 2 || heads->shape[1] != 2) {
    base::fail(ErrorKind::Corrupt, "{}: expected {} of shape [N, 2], got {}", tensors.source(),
               kAlignmentHeads, shape_text(heads->shape));
  }
  return read_integers(*heads, kMaxNumbers,
                       fmt::format("{}: {}", tensors.source(), kAlignmentHeads));
}

}  // namespace whinchat::weights
