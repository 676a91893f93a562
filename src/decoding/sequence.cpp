#include "decoding/sequence.h"

#include <mlx/array.h>
#include <mlx/dtype.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "ops/logits.h"

namespace whinchat::decoding {

namespace mx = mlx::core;

const Sequence& likeliest(std::span<const Sequence> sequences,
                          std::optional<double> length_penalty) {
  const Sequence* best = &sequences.front();
  double best_score = -std::numeric_limits<double>::infinity();
  for (const Sequence& sequence : sequences) {
    const auto length = static_cast<double>(sequence.tokens.size());
    const double penalty = length_penalty ? std::pow((5 + length) / 6, *length_penalty) : length;
    const double score = static_cast<double>(sequence.sum_logprob) / penalty;
    if (score > best_score) {
      best_score = score;
      best = &sequence;
    }
  }
  return *best;
}

mx::array as_row(std::span<const int32_t> tokens) {
  return mx::array(tokens.begin(), {1, static_cast<int>(tokens.size())}, mx::int32);
}

mx::array as_column(std::span<const int32_t> tokens) {
  return mx::array(tokens.begin(), {static_cast<int>(tokens.size()), 1}, mx::int32);
}

std::optional<mx::array> no_speech_prob(const ops::Logits& logits, const SpecialTokens& special) {
  if (!special.no_speech) return std::nullopt;
  return logits.probability_of(special.sot_index, *special.no_speech);
}

bool is_last_token(int index, size_t prompt_tokens, const Limits& limits) {
  const size_t length = prompt_tokens + static_cast<size_t>(index) + 1;  // with this token
  return index + 1 >= limits.max_tokens || length > static_cast<size_t>(limits.context);
}

}  // namespace whinchat::decoding
