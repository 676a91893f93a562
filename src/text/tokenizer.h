// A vocabulary of text tokens with ids 0 … n_text_tokens() − 1: byte-level BPE. Special tokens are
// no part of it. Movable; const calls are safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

struct textcore_tokenizer;

namespace whinchat::text {

enum class Vocabulary { Multilingual, English };

class Tokenizer {
 public:
  // One of Whisper's own vocabularies, carried in the program; costs nothing.
  explicit Tokenizer(Vocabulary vocabulary);

  // A checkpoint's tokenizer.json; `what` names it in messages. One that says what the program
  // carries becomes that, without tables of its own. Throws Error{Corrupt} or, for other kinds than
  // byte-level BPE, Error{Unsupported}.
  static Tokenizer from_json(base::Bytes json, std::string_view what);

  // Special tokens in the text are plain text. Throws Error{BadInput} where it is not UTF-8.
  std::vector<int32_t> encode(std::string_view text) const;

  // Ascending tokens that a regular expression matches from end to end, a leading space included;
  // without back-references, in linear time (Rust's regex crate). Throws Error{BadInput} that says
  // what is wrong with the pattern; `what` names it there.
  std::vector<int32_t> matching_tokens(std::string_view pattern, std::string_view what) const;

  // Lives as long as the tokenizer; may be a part of a character. Throws Error{BadInput} for an id
  // out of range.
  std::string_view token_bytes(int32_t id) const;

  // Bytes that are not UTF-8 become U+FFFD. Throws as token_bytes.
  std::string decode(std::span<const int32_t> ids) const;

  int32_t n_text_tokens() const { return n_text_tokens_; }

  // Whether it is one of the vocabularies that the program carries.
  bool is_embedded() const;

 private:
  struct Close {
    void operator()(textcore_tokenizer* handle) const;
  };
  using Handle = std::unique_ptr<textcore_tokenizer, Close>;

  explicit Tokenizer(Handle handle);

  Handle handle_;
  int32_t n_text_tokens_;
};

}  // namespace whinchat::text
