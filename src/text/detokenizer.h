// Text from tokens that come one at a time: never a part of a character. What push() and finish()
// return, joined, is the tokenizer's decode() of all ids. Not for two threads at once.
#pragma once

#include <cstdint>
#include <string>

#include "text/tokenizer.h"
#include "text/utf8.h"

namespace whinchat::text {

class Detokenizer {
 public:
  // `tokenizer` must outlive the detokenizer.
  explicit Detokenizer(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  // The text that `id` completes. Throws Error{BadInput} for an id that is no text token.
  std::string push(int32_t id) {
    std::string text;
    stream_.push(tokenizer_->token_bytes(id), text);
    return text;
  }

  // U+FFFD for a character that never completed, else nothing; starts anew.
  std::string finish() {
    std::string text;
    stream_.finish(text);
    return text;
  }

 private:
  const Tokenizer* tokenizer_;
  Utf8Stream stream_;
};

}  // namespace whinchat::text
