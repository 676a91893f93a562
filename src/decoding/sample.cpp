#include "decoding/sample.h"

#include <mlx/array.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "decoding/grow.h"
#include "decoding/rules.h"
#include "decoding/sequence.h"
#include "ops/choose.h"
#include "ops/logits.h"

namespace whinchat::decoding {

namespace mx = mlx::core;

namespace {

struct Row {
  size_t index;  // of its sequence
  std::mt19937_64 random;
};

class Sampling {
 public:
  Sampling(const Rules& rules, const SampleOptions& options);

  // Gives every row that has not ended a token. Until the first choice one row stands for all.
  void advance(const ops::Logits& logits);

  bool is_complete() const { return rows_.empty(); }
  // The rows of the step before that the rest continue, and their tokens.
  const std::vector<int>& origins() const { return origins_; }
  std::vector<int32_t> last_tokens() const;
  std::vector<Sequence> finish() && { return std::move(sequences_); }

 private:
  const Rules& rules_;
  const SampleOptions& options_;
  std::vector<Sequence> sequences_;
  std::vector<Row> rows_;
  std::vector<int> origins_;
};

// The standard fixes mt19937_64 and seed_seq, not its distributions: the same on every platform.
double uniform_of(std::mt19937_64& random) {
  constexpr int kBits = std::numeric_limits<double>::digits;
  return std::ldexp(static_cast<double>(random() >> (64U - kBits)), -kBits);
}

Sampling::Sampling(const Rules& rules, const SampleOptions& options)
    : rules_(rules), options_(options), sequences_(static_cast<size_t>(options.best_of)) {
  for (size_t index = 0; index < sequences_.size(); ++index) {
    std::seed_seq seed{static_cast<uint32_t>(options.seed),
                       static_cast<uint32_t>(options.seed >> 32U), static_cast<uint32_t>(index)};
    rows_.push_back({index, std::mt19937_64(seed)});
  }
}

void Sampling::advance(const ops::Logits& logits) {
  const bool is_first = origins_.empty();
  std::vector<ops::LogitMask> masks;
  for (const Row& row : std::span(rows_).first(is_first ? 1 : rows_.size())) {
    masks.push_back(rules_.mask(sequences_[row.index].tokens));
  }
  mx::array all = logits.filtered_logprobs(logits.length() - 1, masks);
  mx::eval(all);
  const auto vocabulary = static_cast<size_t>(all.shape(1));
  std::vector<Row> going_on;
  origins_.clear();
  for (size_t i = 0; i < rows_.size(); ++i) {
    const size_t origin = is_first ? 0 : i;
    const std::span<const float> logprobs(all.data<float>() + origin * vocabulary, vocabulary);
    const int32_t token = draw(logprobs, options_.temperature, uniform_of(rows_[i].random));
    Sequence& sequence = sequences_[rows_[i].index];
    const float logprob = logprobs[static_cast<size_t>(token)];
    sequence.sum_logprob += logprob;
    if (token == options_.special.eot) {
      sequence.has_ended = true;
      continue;
    }
    sequence.tokens.push_back(token);
    sequence.logprobs.push_back(logprob);
    origins_.push_back(static_cast<int>(origin));
    going_on.push_back(rows_[i]);
  }
  rows_ = std::move(going_on);
}

std::vector<int32_t> Sampling::last_tokens() const {
  std::vector<int32_t> tokens;
  tokens.reserve(rows_.size());
  for (const Row& row : rows_) tokens.push_back(sequences_[row.index].tokens.back());
  return tokens;
}

}  // namespace

Decoded decode_samples(const LogitSource& source, std::span<const int32_t> prompt,
                       const Rules& rules, const SampleOptions& options) {
  return grow(Sampling(rules, options), source, prompt, options.limits, options.special);
}

int32_t draw(std::span<const float> logprobs, double temperature, double uniform) {
  // Relative to the greatest, so that a small temperature does not underflow all of them.
  const float greatest = std::ranges::max(logprobs);
  std::vector<double> sums(logprobs.size());
  double sum = 0;
  for (size_t i = 0; i < logprobs.size(); ++i) {
    if (std::isfinite(logprobs[i])) {
      sum += std::exp((double{logprobs[i]} - double{greatest}) / temperature);
    }
    sums[i] = sum;
  }
  // The first whose sum is above the mark: never one that adds nothing.
  const auto found = std::ranges::upper_bound(sums, uniform * sum);
  return static_cast<int32_t>(
      std::min<ptrdiff_t>(found - sums.begin(), static_cast<ptrdiff_t>(sums.size()) - 1));
}

}  // namespace whinchat::decoding
