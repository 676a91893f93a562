// A transcript's tokens word by word, as openai-whisper's Tokenizer.split_to_word_tokens.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/whisper_tokenizer.h"

namespace whinchat::text {

struct WordTokens {
  std::string word;  // with the space before it
  std::vector<int32_t> tokens;
};

// Whether a language is written with spaces between words.
bool has_spaces(std::string_view language_code);

// Words begin at spaces and punctuation; in languages that are written without spaces, where a
// character begins that a token begins with. A special token is a word of its own. All words
// together hold all tokens.
std::vector<WordTokens> split_to_word_tokens(const WhisperTokenizer& tokenizer,
                                             std::span<const int32_t> tokens,
                                             std::string_view language_code);

}  // namespace whinchat::text
