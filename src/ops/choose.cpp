#include "ops/choose.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace whinchat::ops {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// [1 | B, V]: 0 where a token may be chosen, −∞ where not.
mx::array additive_masks(LogitMasks masks, int vocabulary) {
  const auto width = static_cast<size_t>(vocabulary);
  std::vector<float> values(masks.size() * width, 0.0F);
  for (size_t row = 0; row < masks.size(); ++row) {
    const std::span<float> allowed = std::span(values).subspan(row * width, width);
    for (const int32_t token : masks[row].suppressed) {
      allowed[static_cast<size_t>(token)] = kNever;
    }
    for (const TokenRange& range : masks[row].forbidden) {
      const int32_t end = std::max(range.begin, std::min(range.end, vocabulary));
      std::fill(allowed.begin() + range.begin, allowed.begin() + end, kNever);
    }
  }
  return mx::array(values.begin(), {static_cast<int>(masks.size()), vocabulary});
}

// Logits under the penalties of their masks.
mx::array penalised(const mx::array& logits, LogitMasks masks) {
  const bool is_any = std::ranges::any_of(masks, [](const LogitMask& mask) {
    return !mask.repeated.empty() && mask.repetition_penalty != 1.0F;
  });
  if (!is_any) return logits;
  const int vocabulary = logits.shape(1);
  const auto width = static_cast<size_t>(vocabulary);
  std::vector<float> factors(masks.size() * width, 1.0F);
  for (size_t row = 0; row < masks.size(); ++row) {
    for (const int32_t token : masks[row].repeated) {
      factors[row * width + static_cast<size_t>(token)] = masks[row].repetition_penalty;
    }
  }
  const mx::array factor(factors.begin(), {static_cast<int>(masks.size()), vocabulary});
  return mx::where(mx::less(logits, mx::array(0.0F)), mx::multiply(logits, factor),
                   mx::divide(logits, factor));
}

mx::array log_softmax(const mx::array& logits) {
  return mx::subtract(logits, mx::logsumexp(logits, -1, /*keepdims=*/true));
}

mx::array forbid_text_under_timestamps(const mx::array& logits, int32_t timestamp_begin) {
  const int rows = logits.shape(0);
  const int vocabulary = logits.shape(1);
  const mx::array logprobs = log_softmax(logits);
  const mx::array timestamps = mx::slice(logprobs, {0, timestamp_begin}, {rows, vocabulary});
  const mx::array text = mx::slice(logprobs, {0, 0}, {rows, timestamp_begin});
  const mx::array timestamps_win = mx::greater(mx::logsumexp(timestamps, -1, /*keepdims=*/true),
                                               mx::max(text, -1, /*keepdims=*/true));
  const mx::array is_text = mx::less(mx::arange(vocabulary), mx::array(timestamp_begin));
  return mx::where(mx::logical_and(timestamps_win, is_text), mx::array(kNever), logits);
}

// Logits with −∞ for what may not be chosen. All rows have timestamps, or none has.
mx::array filtered(const mx::array& logits, LogitMasks masks) {
  mx::array allowed = mx::add(penalised(logits, masks), additive_masks(masks, logits.shape(1)));
  const int32_t timestamp_begin = masks.front().timestamp_begin;
  return timestamp_begin < 0 ? allowed : forbid_text_under_timestamps(allowed, timestamp_begin);
}

}  // namespace

Choice choose_greedy(const mx::array& logits, LogitMasks masks) {
  const mx::array allowed = filtered(logits, masks);
  const mx::array token = mx::argmax(allowed, -1, /*keepdims=*/true);
  const mx::array logprob = mx::take_along_axis(log_softmax(allowed), token, -1);
  return {mx::astype(mx::squeeze(token, -1), mx::int32), mx::squeeze(logprob, -1)};
}

Choice choose_top_k(const mx::array& logits, LogitMasks masks, int k) {
  const mx::array logprobs = filtered_logprobs(logits, masks);
  const mx::array parted = mx::argpartition(mx::negative(logprobs), k - 1, -1);
  const mx::array best = mx::slice(parted, {0, 0}, {logits.shape(0), k});
  const mx::array order = mx::argsort(mx::negative(mx::take_along_axis(logprobs, best, -1)), -1);
  const mx::array tokens = mx::take_along_axis(best, order, -1);
  return {mx::astype(tokens, mx::int32), mx::take_along_axis(logprobs, tokens, -1)};
}

mx::array filtered_logprobs(const mx::array& logits, LogitMasks masks) {
  return log_softmax(filtered(logits, masks));
}

mx::array probability_of(const mx::array& logits, int32_t token) {
  return mx::take(mx::softmax(logits, -1), token, -1);
}

}  // namespace whinchat::ops
