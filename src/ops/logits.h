// The ends of a decoder: tokens in, logits out, and the choice among them. Lazy; engine thread.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <span>
#include <variant>

#include "ops/choose.h"
#include "ops/fast/logits.h"
#include "ops/layers.h"
#include "ops/parameter.h"
#include "ops/runtime.h"

namespace whinchat::ops {

struct VocabularyParameters {
  Parameter embedding;  // [V, C], of tokens in and out
  Parameter positions;  // [context, C]
  NormParameters norm;  // before the logits
};

struct PlainVocabulary {
  mx::array embedding, positions;
  Norm norm;
};

using Vocabulary = Forms<PlainVocabulary, fast::Vocabulary>;

Vocabulary make_vocabulary(const Runtime& runtime, const VocabularyParameters& layer);

// embedding[tokens] + positions[offset : offset + T]: tokens [B, T] int32 → [B, T, C].
mx::array embed(const mx::array& tokens, const Vocabulary& layer, int offset);

// A step's logits before any filter, [B, T, V]. Whoever wants one position's choice alone does not
// pay for the others on the fast path.
class Logits {
 public:
  explicit Logits(mx::array values) : form_(std::move(values)) {}
  explicit Logits(fast::PendingLogits pending) : form_(std::move(pending)) {}

  // All of them, in the model's type.
  mx::array values() const;

  int length() const;  // T

  // Starts computing what every choice needs; what waits for a choice is left to it.
  void start() const;

  // At `position`, under `masks`: the likeliest token of each row, its k likeliest, or all
  // log-probabilities [B, V] f32.
  Choice choose_greedy(int position, LogitMasks masks) const;
  Choice choose_top_k(int position, LogitMasks masks, int k) const;
  mx::array filtered_logprobs(int position, LogitMasks masks) const;

  // Probability of `token` at `position`, unfiltered: [B] f32.
  mx::array probability_of(int position, int32_t token) const;

  // Of one row: probabilities of tokens[i] at position first + i among the ids below `end`, f32.
  mx::array probabilities_of(int first, std::span<const int32_t> tokens, int32_t end) const;

 private:
  std::variant<mx::array, fast::PendingLogits> form_;
};

// norm(x) · embeddingᵀ of x [B, T, C].
Logits norm_logits(const mx::array& x, const Vocabulary& layer);

}  // namespace whinchat::ops
