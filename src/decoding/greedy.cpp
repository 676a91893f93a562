#include "decoding/greedy.h"

#include <mlx/array.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoding/rules.h"
#include "decoding/sequence.h"
#include "ops/choose.h"
#include "ops/logits.h"

namespace whinchat::decoding {

namespace mx = mlx::core;

namespace {

// Starts computing `arrays`, or computes them.
void compute(std::vector<mx::array> arrays, bool one_step_late) {
  if (one_step_late) {
    mx::async_eval(std::move(arrays));
  } else {
    mx::eval(std::move(arrays));
  }
}

}  // namespace

Decoded decode_greedy(const LogitsOf& logits_of, std::span<const int32_t> prompt,
                      const Rules& rules, const GreedyOptions& options) {
  Sequence sequence;
  ops::Logits logits = logits_of(as_row(prompt));
  const std::optional<mx::array> no_speech = no_speech_prob(logits, options.special);
  if (no_speech) compute({*no_speech}, options.one_step_late);
  for (int i = 0; i < options.limits.max_tokens; ++i) {
    const ops::LogitMask mask = rules.mask(sequence.tokens);
    ops::Choice choice = logits.choose_greedy(logits.length() - 1, {&mask, 1});
    compute({choice.token, choice.logprob}, options.one_step_late);
    const bool is_last = is_last_token(i, prompt.size(), options.limits);
    if (options.one_step_late && !is_last) {
      logits = logits_of(mx::reshape(choice.token, {1, 1}));
      logits.start();
    }
    const auto logprob = choice.logprob.item<float>();
    sequence.sum_logprob += logprob;
    const auto token = choice.token.item<int32_t>();
    if (token == options.special.eot) {
      sequence.has_ended = true;
      break;
    }
    sequence.tokens.push_back(token);
    sequence.logprobs.push_back(logprob);
    if (!options.one_step_late && !is_last) logits = logits_of(as_row({&token, 1}));
    if (is_last) break;
  }
  Decoded decoded{{std::move(sequence)}};
  if (no_speech) decoded.no_speech_prob = no_speech->item<float>();
  return decoded;
}

}  // namespace whinchat::decoding
