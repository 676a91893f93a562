// From a step's logits to its token: the decoding rules arrive as data, so that every form of this
// word applies the same ones.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/choose.h"

namespace whinchat::ops {

namespace mx = mlx::core;

using TokenRange = kernels::IdRange;  // the end is exclusive

struct LogitMask {
  std::span<const int32_t> suppressed;  // tokens that are never chosen; owned by the rules
  std::vector<TokenRange> forbidden;    // ranges that this step may not choose from
  // When timestamps ([timestamp_begin, V)) are together likelier than the best text token, text is
  // forbidden too. Negative: the rule is off.
  int32_t timestamp_begin = -1;
  // Tokens that were chosen before, each once: before all other rules their logits are divided by
  // the penalty, or multiplied where they are below 0.
  std::vector<int32_t> repeated;
  float repetition_penalty = 1.0F;
};

// One for each row, or one for all.
using LogitMasks = std::span<const LogitMask>;

struct Choice {
  mx::array token;  // [B] int32, the likeliest allowed token; of a row's k best [B, k], best first
  mx::array logprob;  // of the same shape, f32: its log-probability among the allowed ones
};

// logits [B, V] f32 before any filter. Lazy; engine thread.
Choice choose_greedy(const mx::array& logits, LogitMasks masks);
Choice choose_top_k(const mx::array& logits, LogitMasks masks, int k);

// Log-probabilities among the allowed tokens, [B, V] f32; −∞ for the others.
mx::array filtered_logprobs(const mx::array& logits, LogitMasks masks);

// Probability of `token` under unfiltered logits [B, V] f32 → [B].
mx::array probability_of(const mx::array& logits, int32_t token);

}  // namespace whinchat::ops
