// Beam search of one sequence over any source of logits (openai-whisper 20250625:
// BeamSearchDecoder, whose sums are f32 too). Engine thread.
#pragma once

#include <cstdint>
#include <span>

#include "decoding/rules.h"
#include "decoding/sequence.h"

namespace whinchat::decoding {

struct BeamOptions {
  Limits limits;
  SpecialTokens special;
  int beam_size = 5;
  double patience = 1.0;  // finished sequences to look for, as a multiple of beam_size
};

// Finished sequences in the order they were found; where there are fewer than beam_size, the best
// unfinished ones follow.
Decoded decode_beams(const LogitSource& source, std::span<const int32_t> prompt, const Rules& rules,
                     const BeamOptions& options);

}  // namespace whinchat::decoding
