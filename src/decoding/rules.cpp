#include "decoding/rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/mutation.h"
#include "ops/choose.h"

namespace whinchat::decoding {
namespace {

constexpr int32_t kEndOfVocabulary = std::numeric_limits<int32_t>::max();

}  // namespace

ops::LogitMask Rules::mask(std::span<const int32_t> sampled) const {
  ops::LogitMask mask{.suppressed = options_.suppress_tokens};
  if (sampled.empty()) {
    for (const int32_t token : options_.blank_tokens) mask.forbidden.push_back({token, token + 1});
  }
  if (options_.timestamps) apply_timestamp_rules(sampled, mask);
  if (options_.repetition_penalty != 1 || options_.no_repeat_ngram_size > 0) {
    apply_repetition_rules(sampled, mask);
  }
  return mask;
}

// openai-whisper's ApplyTimestampRules. mlx-whisper's port collects positions instead of times, so
// that its order rule never fires, and weighs timestamps that are already forbidden.
void Rules::apply_timestamp_rules(std::span<const int32_t> sampled, ops::LogitMask& mask) const {
  const int32_t begin = options_.timestamp_begin;
  const auto is_timestamp = [&](size_t from_end) {
    return sampled.size() >= from_end && sampled[sampled.size() - from_end] >= begin;
  };
  mask.timestamp_begin = begin;
  mask.forbidden.push_back({options_.no_timestamps, options_.no_timestamps + 1});

  // Timestamps come in pairs, except directly before the end of text.
  const bool last_was_timestamp = is_timestamp(1);
  const bool penultimate_was_timestamp = sampled.size() < 2 || is_timestamp(2);
  if (last_was_timestamp && base::mutable_constant("rules.pairs", 1) != 0) {
    mask.forbidden.push_back(penultimate_was_timestamp ? ops::TokenRange{begin, kEndOfVocabulary}
                                                       : ops::TokenRange{0, options_.eot});
  }

  // Times do not go back, and a segment is longer than nothing.
  for (size_t i = sampled.size(); i-- > 0;) {
    if (sampled[i] < begin) continue;
    const bool closes_segment = last_was_timestamp && !penultimate_was_timestamp;
    if (base::mutable_constant("rules.monotonic", 1) != 0) {
      mask.forbidden.push_back({begin, closes_segment ? sampled[i] : sampled[i] + 1});
    }
    break;
  }

  if (!sampled.empty()) return;
  mask.forbidden.push_back({0, begin});
  if (options_.max_initial_timestamp) {
    mask.forbidden.push_back({begin + *options_.max_initial_timestamp + 1, kEndOfVocabulary});
  }
}

// CTranslate2 looks at all that was chosen, timestamps too: they repeat by design (a segment begins
// where the last one ended), and between two equal sentences they hide the repetition.
void Rules::apply_repetition_rules(std::span<const int32_t> sampled, ops::LogitMask& mask) const {
  std::vector<int32_t> text;
  std::ranges::copy_if(sampled, std::back_inserter(text),
                       [&](int32_t token) { return token < options_.eot; });
  const auto size = static_cast<size_t>(options_.no_repeat_ngram_size);
  if (size > 0 && text.size() >= size) {
    const std::span<const int32_t> all = text;
    const std::span<const int32_t> begun = all.last(size - 1);
    for (size_t i = 0; i + size <= all.size(); ++i) {
      if (!std::ranges::equal(all.subspan(i, size - 1), begun)) continue;
      mask.forbidden.push_back({all[i + size - 1], all[i + size - 1] + 1});
    }
  }
  if (options_.repetition_penalty == 1) return;
  std::ranges::sort(text);
  text.erase(std::ranges::unique(text).begin(), text.end());
  mask.repeated = std::move(text);
  mask.repetition_penalty = static_cast<float>(options_.repetition_penalty);
}

}  // namespace whinchat::decoding
