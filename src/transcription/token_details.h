// What is known of a segment's tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// `logprobs` has one for each token. Tokens that are no text add none.
std::vector<Token> token_details(const text::WhisperTokenizer& tokenizer,
                                 std::span<const int32_t> tokens, std::span<const float> logprobs);

}  // namespace whinchat::transcription
