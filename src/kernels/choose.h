// From a row of logits to its token. Filters are data; a filtered logit is −∞. A logit that is not
// a number is never chosen, and makes every log-probability of its row NaN. One thread's work: any
// thread. Rules: openai-whisper 20250625, decoding.py.
#pragma once

#include <cstdint>
#include <span>

namespace whinchat::kernels {

struct IdRange {
  int32_t begin,
      end;  // end is exclusive and may exceed the row; one before begin is an empty range
};

// Ids that are there already: a logit of theirs that is 0 or more is divided by the factor, another
// one multiplied.
struct Repetition {
  std::span<const int32_t> ids;  // each once
  float penalty = 1.0F;          // above 0
};

struct LogitFilters {
  std::span<const int32_t> suppressed;
  std::span<const IdRange> forbidden;
  // When ids from here on are together likelier than the best id below, those below are forbidden
  // too. Negative: no such rule.
  int32_t timestamp_begin = -1;
  Repetition repetition;  // applied before the others
};

struct Chosen {
  int32_t token;
  float logprob;  // among the row's allowed ids
};

// Applies the filters to `logits` in place. Throws Error{Internal} for an id that is not in the
// row.
void apply_filters(const LogitFilters& filters, std::span<float> logits);

// Of filtered logits, at least one: the likeliest id, the lowest of equals. Where none is allowed,
// token 0 and a log-probability of NaN.
Chosen choose_likeliest(std::span<const float> logits);

// The best.size() likeliest ids, best first, the lower first among equals. Throws Error{Internal}
// for fewer logits than that.
void choose_top_k(std::span<const float> logits, std::span<Chosen> best);

// log Σ exp(logits); −∞ for none.
float log_sum_exp(std::span<const float> logits);

// The same, plainly, with sums in double precision.
void apply_filters_reference(const LogitFilters& filters, std::span<float> logits);
Chosen choose_likeliest_reference(std::span<const float> logits);
void choose_top_k_reference(std::span<const float> logits, std::span<Chosen> best);
double log_sum_exp_reference(std::span<const float> logits);

}  // namespace whinchat::kernels
