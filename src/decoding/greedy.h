// Greedy decoding of one sequence over any source of logits. Engine thread.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decoding/rules.h"
#include "ops/logits.h"

namespace whinchat::decoding {

// Appends tokens [1, T] int32 to the context and returns their logits [1, T, V] before any filter.
using LogitsOf = std::function<ops::Logits(const mlx::core::array& tokens)>;

struct GreedyOptions {
  int max_tokens = 224;  // tokens to choose at the most, the end of text included
  int context = 448;     // prompt and chosen tokens together at the most
  int32_t eot = 0;
  int sot_index = 0;                 // where the start of transcript stands in the prompt
  std::optional<int32_t> no_speech;  // token whose probability behind the start is reported
  // Start a token's step before reading that token, for devices that work beside the caller. The
  // last step, of the end of text, is then in vain.
  bool one_step_late = false;
};

struct Sequence {
  std::vector<int32_t> tokens;  // chosen, without the end of text
  float sum_logprob = 0.0F;     // the end of text included, if it was chosen
  float no_speech_prob = 0.0F;
};

// The same for both values of `one_step_late`. Without it there is one evaluation a token: caches
// that append in place need it on a CPU.
Sequence decode_greedy(const LogitsOf& logits_of, std::span<const int32_t> prompt,
                       const Rules& rules, const GreedyOptions& options);

}  // namespace whinchat::decoding
