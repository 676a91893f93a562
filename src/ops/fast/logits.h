// The ends of a decoder on the kernels of a CPU: the packed forms of ops/logits.h.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/choose.h"
#include "ops/fast/layers.h"

namespace whinchat::ops {

struct VocabularyParameters;

namespace fast {

struct Vocabulary : Layer {
  Linear embedding;
  std::vector<float> positions;  // [context, C]
  Norm norm;
};

// Logits that are computed where they are asked for.
struct PendingLogits {
  mx::array x;  // [B, T, C] before the norm
  std::shared_ptr<const Vocabulary> vocabulary;
};

std::shared_ptr<const Vocabulary> make_vocabulary(std::shared_ptr<Cpu> cpu,
                                                  const VocabularyParameters& layer);

mx::array embed(const mx::array& tokens, const std::shared_ptr<const Vocabulary>& layer,
                int offset);

mx::array values_of(const PendingLogits& logits);
Choice choose_greedy(const PendingLogits& logits, int position, LogitMasks masks);
Choice choose_top_k(const PendingLogits& logits, int position, LogitMasks masks, int k);
mx::array filtered_logprobs(const PendingLogits& logits, int position, LogitMasks masks);
mx::array probability_of(const PendingLogits& logits, int position, int32_t token);
mx::array probabilities_of(const PendingLogits& logits, int first, std::span<const int32_t> tokens,
                           int32_t end);

}  // namespace fast
}  // namespace whinchat::ops
