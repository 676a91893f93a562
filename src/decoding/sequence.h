// What every decoder works on: a source of logits, and sequences of tokens that grow.
#pragma once

#include <mlx/array.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ops/logits.h"

namespace whinchat::decoding {

// Appends tokens [B, T] int32 to the contexts of B rows and returns their logits [B, T, V] before
// any filter.
using LogitsOf = std::function<ops::Logits(const mlx::core::array& tokens)>;

struct LogitSource {
  LogitsOf logits_of;
  // Row i continues what row rows[i] was, for as many rows as there are indices.
  std::function<void(std::span<const int> rows)> take_rows;
};

struct Limits {
  int max_tokens = 224;  // tokens to choose at the most, the end of text included
  int context = 448;     // prompt and chosen tokens together at the most
};

struct SpecialTokens {
  int32_t eot = 0;
  int sot_index = 0;                 // where the start of transcript stands in the prompt
  std::optional<int32_t> no_speech;  // token whose probability behind the start is reported
};

struct Sequence {
  std::vector<int32_t> tokens;    // chosen, without the end of text
  float sum_logprob = 0.0F;       // the end of text included, if it was chosen
  bool has_ended = false;         // it was; else the limits cut the sequence
  std::vector<float> logprobs{};  // of each token, by the rules
};

struct Decoded {
  std::vector<Sequence> sequences;  // candidates, at least one
  float no_speech_prob = 0.0F;
};

// The likeliest: by log-probability over length, or over ((5 + length) / 6)^length_penalty. The
// first of equals. (openai-whisper 20250625: MaximumLikelihoodRanker)
const Sequence& likeliest(std::span<const Sequence> sequences,
                          std::optional<double> length_penalty);

// [1, T] int32, and [B, 1].
mlx::core::array as_row(std::span<const int32_t> tokens);
mlx::core::array as_column(std::span<const int32_t> tokens);

// Behind the start of transcript in a prompt's logits, [1] f32; unset where nobody asks.
std::optional<mlx::core::array> no_speech_prob(const ops::Logits& logits,
                                               const SpecialTokens& special);

// Whether the limits allow no token after the one with this index, counted from 0.
bool is_last_token(int index, size_t prompt_tokens, const Limits& limits);

}  // namespace whinchat::decoding
