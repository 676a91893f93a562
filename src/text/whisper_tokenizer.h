// What decoding asks of Whisper's tokens, as the oracle's Tokenizer (mlx_whisper/tokenizer.py
// 0.4.3) answers. Movable; const calls are safe from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "text/whisper_tokens.h"

namespace whinchat::text {

class WhisperTokenizer {
 public:
  // The vocabulary that the program carries. Throws Error{Unsupported} for an unknown size.
  explicit WhisperTokenizer(int64_t n_vocab);

  // A checkpoint's own text tokens; `what` names them in messages. Throws Error{Corrupt} when there
  // are too few for `n_vocab`, or when they are the other one of Whisper's vocabularies.
  WhisperTokenizer(int64_t n_vocab, Tokenizer text, std::string_view what);

  const WhisperTokens& tokens() const { return tokens_; }
  const Tokenizer& text() const { return text_; }

  std::vector<int32_t> encode(std::string_view text) const;

  // Start of transcript, language and task; the first alone where the model is English-only.
  std::vector<int32_t> sot_sequence(std::string_view language_code, Task task) const;

  // What an empty output starts with: encode(" ").
  std::vector<int32_t> blank_tokens() const { return encode(" "); }

  // Tokens of annotations that nobody speaks (brackets, notes, speaker tags), ascending.
  std::vector<int32_t> non_speech_tokens() const;

  // Those that are text: without timestamps and other special tokens.
  std::vector<int32_t> text_tokens(std::span<const int32_t> ids) const;

  // Timestamps are left out; the other special tokens are printed by name.
  std::string decode(std::span<const int32_t> ids) const;

  // Timestamps are printed too: "<|1.08|>".
  std::string decode_with_timestamps(std::span<const int32_t> ids) const;

 private:
  WhisperTokens tokens_;
  Tokenizer text_;
};

}  // namespace whinchat::text
