#include "ops/choose.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace whinchat::ops {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// [V]: 0 where a token may be chosen, −∞ where not.
mx::array additive_mask(const LogitMask& mask, int vocabulary) {
  std::vector<float> values(static_cast<size_t>(vocabulary), 0.0F);
  for (const int32_t token : mask.suppressed) values.at(static_cast<size_t>(token)) = kNever;
  for (const TokenRange& range : mask.forbidden) {
    const int32_t end = std::min(range.end, vocabulary);
    std::fill(values.begin() + range.begin, values.begin() + std::max(range.begin, end), kNever);
  }
  return mx::array(values.begin(), {vocabulary});
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

}  // namespace

Choice choose_greedy(const mx::array& logits, const LogitMask& mask) {
  mx::array allowed = mx::add(logits, additive_mask(mask, logits.shape(1)));
  if (mask.timestamp_begin >= 0) {
    allowed = forbid_text_under_timestamps(allowed, mask.timestamp_begin);
  }
  const mx::array token = mx::argmax(allowed, -1, /*keepdims=*/true);
  const mx::array logprob = mx::take_along_axis(log_softmax(allowed), token, -1);
  return {mx::astype(mx::squeeze(token, -1), mx::int32), mx::squeeze(logprob, -1)};
}

mx::array probability_of(const mx::array& logits, int32_t token) {
  return mx::take(mx::softmax(logits, -1), token, -1);
}

}  // namespace whinchat::ops
