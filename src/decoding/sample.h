// Sampling of several sequences over any source of logits (openai-whisper 20250625: GreedyDecoder
// at a temperature above 0). Engine thread.
#pragma once

#include <cstdint>
#include <span>

#include "decoding/rules.h"
#include "decoding/sequence.h"

namespace whinchat::decoding {

struct SampleOptions {
  Limits limits;
  SpecialTokens special;
  double temperature = 1.0;  // above 0
  int best_of = 5;           // sequences
  uint64_t seed = 0;         // the same seed gives the same sequences
};

// Every row draws from a generator of its own, so that rows that end leave the others as they are.
Decoded decode_samples(const LogitSource& source, std::span<const int32_t> prompt,
                       const Rules& rules, const SampleOptions& options);

// A token by p ∝ exp(logprob / temperature), for `uniform` in [0, 1). −∞ is never drawn.
int32_t draw(std::span<const float> logprobs, double temperature, double uniform);

}  // namespace whinchat::decoding
