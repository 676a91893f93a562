// Whisper's decoding rules (openai-whisper 20250625, decoding.py; those of repetition: CTranslate2
// 4.8.5, decoding_utils.cc) as data for a step. They know token ids only: no model, no arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ops/choose.h"

namespace whinchat::decoding {

struct RuleOptions {
  std::vector<int32_t> suppress_tokens;  // never chosen
  std::vector<int32_t> blank_tokens;     // not chosen as the first token; empty: rule off
  bool timestamps = true;                // false: timestamps are left to suppress_tokens
  int32_t eot = 0;                       // everything below is text
  int32_t no_timestamps = 0;
  int32_t timestamp_begin = 0;               // <|0.00|>; every token from here on is a time
  std::optional<int> max_initial_timestamp;  // in timestamp steps (20 ms)
  // Of the text that was chosen, timestamps left out: tokens chosen before become less likely by
  // the first (1: off), and no run of that many tokens comes twice (0: off).
  double repetition_penalty = 1.0;
  int no_repeat_ngram_size = 0;
};

class Rules {
 public:
  explicit Rules(RuleOptions options) : options_(std::move(options)) {}

  const RuleOptions& options() const { return options_; }

  // What may follow `sampled`, the tokens chosen since the prompt and start sequence. The result
  // points into this object.
  ops::LogitMask mask(std::span<const int32_t> sampled) const;

 private:
  void apply_timestamp_rules(std::span<const int32_t> sampled, ops::LogitMask& mask) const;
  void apply_repetition_rules(std::span<const int32_t> sampled, ops::LogitMask& mask) const;

  RuleOptions options_;
};

}  // namespace whinchat::decoding
