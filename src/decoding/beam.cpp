#include "decoding/beam.h"

#include <mlx/array.h>
#include <mlx/transforms.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
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

// A beam's continuation by one token.
struct Candidate {
  int beam;
  int32_t token;
  float logprob;
  float sum_logprob;
};

class BeamSearch {
 public:
  BeamSearch(const Rules& rules, const BeamOptions& options)
      : rules_(rules),
        options_(options),
        max_candidates_(static_cast<size_t>(std::nearbyint(options.beam_size * options.patience))) {
  }

  // Moves every beam on by the best tokens of `logits`.
  void advance(const ops::Logits& logits);

  bool is_complete() const { return beams_.empty() || finished_.size() >= max_candidates_; }
  const std::vector<int>& origins() const { return origins_; }
  std::vector<int32_t> last_tokens() const;
  std::vector<Sequence> finish() &&;

 private:
  std::vector<Candidate> candidates(const ops::Logits& logits) const;
  Sequence extended(const Candidate& candidate) const;

  const Rules& rules_;
  const BeamOptions& options_;
  size_t max_candidates_;
  std::vector<Sequence> beams_{1};  // one until the first choice: copies would choose the same
  std::vector<int> origins_;        // the beam of the step before that each one continues
  std::vector<Sequence> finished_;
};

// Best first, the earlier beam's and the likelier token's first among equals.
std::vector<Candidate> BeamSearch::candidates(const ops::Logits& logits) const {
  std::vector<ops::LogitMask> masks;
  masks.reserve(beams_.size());
  for (const Sequence& beam : beams_) masks.push_back(rules_.mask(beam.tokens));
  const int k = options_.beam_size + 1;
  ops::Choice best = logits.choose_top_k(logits.length() - 1, masks, k);
  mx::eval(best.token, best.logprob);
  std::vector<Candidate> result;
  for (size_t i = 0; i < best.token.size(); ++i) {
    const size_t beam = i / static_cast<size_t>(k);
    const float logprob = best.logprob.data<float>()[i];
    result.push_back({static_cast<int>(beam), best.token.data<int32_t>()[i], logprob,
                      beams_[beam].sum_logprob + logprob});
  }
  std::ranges::stable_sort(result, std::greater(), &Candidate::sum_logprob);
  return result;
}

Sequence BeamSearch::extended(const Candidate& candidate) const {
  Sequence sequence = beams_[static_cast<size_t>(candidate.beam)];
  sequence.sum_logprob = candidate.sum_logprob;
  sequence.has_ended = candidate.token == options_.special.eot;
  if (sequence.has_ended) return sequence;
  sequence.tokens.push_back(candidate.token);
  sequence.logprobs.push_back(candidate.logprob);
  return sequence;
}

void BeamSearch::advance(const ops::Logits& logits) {
  std::vector<Sequence> next;
  origins_.clear();
  for (const Candidate& candidate : candidates(logits)) {
    if (next.size() == static_cast<size_t>(options_.beam_size)) break;
    Sequence sequence = extended(candidate);
    if (!sequence.has_ended) {
      next.push_back(std::move(sequence));
      origins_.push_back(candidate.beam);
    } else if (finished_.size() < max_candidates_) {
      finished_.push_back(std::move(sequence));
    }
  }
  beams_ = std::move(next);
}

std::vector<int32_t> BeamSearch::last_tokens() const {
  std::vector<int32_t> tokens;
  tokens.reserve(beams_.size());
  for (const Sequence& beam : beams_) tokens.push_back(beam.tokens.back());
  return tokens;
}

std::vector<Sequence> BeamSearch::finish() && {
  // The oracle takes unfinished ones from the end of an ascending order: later beams first among
  // equals.
  std::ranges::stable_sort(beams_, std::less(), &Sequence::sum_logprob);
  for (Sequence& beam : beams_ | std::views::reverse) {
    if (finished_.size() >= static_cast<size_t>(options_.beam_size)) break;
    finished_.push_back(std::move(beam));
  }
  return std::move(finished_);
}

}  // namespace

Decoded decode_beams(const LogitSource& source, std::span<const int32_t> prompt, const Rules& rules,
                     const BeamOptions& options) {
  return grow(BeamSearch(rules, options), source, prompt, options.limits, options.special);
}

}  // namespace whinchat::decoding
