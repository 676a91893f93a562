#include "decoding/greedy.h"

#include <mlx/array.h>
#include <mlx/dtype.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decoding/rules.h"
#include "ops/choose.h"
#include "ops/logits.h"

namespace whinchat::decoding {

namespace mx = mlx::core;

namespace {

mx::array as_array(std::span<const int32_t> tokens) {
  return mx::array(tokens.begin(), {1, static_cast<int>(tokens.size())}, mx::int32);
}

// Starts computing `arrays`, or computes them.
void compute(std::vector<mx::array> arrays, bool one_step_late) {
  if (one_step_late) {
    mx::async_eval(std::move(arrays));
  } else {
    mx::eval(std::move(arrays));
  }
}

}  // namespace

Sequence decode_greedy(const LogitsOf& logits_of, std::span<const int32_t> prompt,
                       const Rules& rules, const GreedyOptions& options) {
  Sequence sequence;
  ops::Logits logits = logits_of(as_array(prompt));
  std::optional<mx::array> no_speech;
  if (options.no_speech) {
    no_speech = logits.probability_of(options.sot_index, *options.no_speech);
    compute({*no_speech}, options.one_step_late);
  }
  for (int i = 0; i < options.max_tokens; ++i) {
    ops::Choice choice = logits.choose_greedy(logits.length() - 1, rules.mask(sequence.tokens));
    compute({choice.token, choice.logprob}, options.one_step_late);
    const size_t length = prompt.size() + sequence.tokens.size() + 1;  // with this token
    const bool is_last =
        i + 1 == options.max_tokens || length > static_cast<size_t>(options.context);
    if (options.one_step_late && !is_last) {
      logits = logits_of(mx::reshape(choice.token, {1, 1}));
      logits.start();
    }
    sequence.sum_logprob += choice.logprob.item<float>();
    const auto token = choice.token.item<int32_t>();
    if (token == options.eot) break;
    sequence.tokens.push_back(token);
    if (!options.one_step_late && !is_last) logits = logits_of(as_array({&token, 1}));
    if (is_last) break;
  }
  if (no_speech) sequence.no_speech_prob = no_speech->item<float>();
  return sequence;
}

}  // namespace whinchat::decoding
