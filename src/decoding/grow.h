// The loop of decoders that keep several rows: beam search and sampling.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "decoding/sequence.h"
#include "ops/logits.h"

namespace whinchat::decoding {

// `rows` takes logits in advance(), then says which rows of the step before go on (origins) and by
// which tokens (last_tokens), until it is complete or the limits are reached. Engine thread.
template <typename Rows>
Decoded grow(Rows rows, const LogitSource& source, std::span<const int32_t> prompt,
             const Limits& limits, const SpecialTokens& special) {
  ops::Logits logits = source.logits_of(as_row(prompt));
  std::optional<mlx::core::array> no_speech = no_speech_prob(logits, special);
  for (int i = 0; i < limits.max_tokens; ++i) {
    rows.advance(logits);
    if (rows.is_complete() || is_last_token(i, prompt.size(), limits)) break;
    source.take_rows(rows.origins());
    logits = source.logits_of(as_column(rows.last_tokens()));
  }
  Decoded decoded{std::move(rows).finish()};
  if (no_speech) decoded.no_speech_prob = no_speech->template item<float>();
  return decoded;
}

}  // namespace whinchat::decoding
