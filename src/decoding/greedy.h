// Greedy decoding of one sequence over any source of logits. Engine thread.
#pragma once

#include <cstdint>
#include <span>

#include "decoding/rules.h"
#include "decoding/sequence.h"

namespace whinchat::decoding {

struct GreedyOptions {
  Limits limits;
  SpecialTokens special;
  // Start a token's step before reading that token, for devices that work beside the caller. The
  // last step, of the end of text, is then in vain.
  bool one_step_late = false;
};

// The same for both values of `one_step_late`. Without it there is one evaluation a token: caches
// that append in place need it on a CPU.
Decoded decode_greedy(const LogitsOf& logits_of, std::span<const int32_t> prompt,
                      const Rules& rules, const GreedyOptions& options);

}  // namespace whinchat::decoding
