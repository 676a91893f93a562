#include "decoding/greedy.h"

#include <mlx/array.h>
#include <mlx/transforms.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoding/rules.h"
#include "ops/choose.h"
#include "ops/logits.h"

namespace whinchat::decoding {

namespace mx = mlx::core;

Sequence decode_greedy(const LogitsOf& logits_of, std::span<const int32_t> prompt,
                       const Rules& rules, const GreedyOptions& options) {
  Sequence sequence;
  ops::Logits logits = logits_of(prompt);
  if (options.no_speech) {
    mx::array probability = logits.probability_of(options.sot_index, *options.no_speech);
    mx::eval(probability);
    sequence.no_speech_prob = probability.item<float>();
  }
  for (int i = 0; i < options.max_tokens; ++i) {
    ops::Choice choice = logits.choose_greedy(logits.length() - 1, rules.mask(sequence.tokens));
    mx::eval(choice.token, choice.logprob);
    sequence.sum_logprob += choice.logprob.item<float>();
    const auto token = choice.token.item<int32_t>();
    if (token == options.eot) break;
    sequence.tokens.push_back(token);
    if (prompt.size() + sequence.tokens.size() > static_cast<size_t>(options.context)) break;
    if (i + 1 < options.max_tokens) logits = logits_of({&sequence.tokens.back(), 1});
  }
  return sequence;
}

}  // namespace whinchat::decoding
