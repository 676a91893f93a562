#include "transcription/token_details.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "text/detokenizer.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::vector<Token> token_details(const text::WhisperTokenizer& tokenizer,
                                 std::span<const int32_t> tokens, std::span<const float> logprobs) {
  std::vector<Token> details;
  details.reserve(tokens.size());
  text::Detokenizer detokenizer(tokenizer.text());
  size_t last_text = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    Token token{.id = tokens[i], .probability = std::exp(double{logprobs[i]})};
    if (token.id < tokenizer.tokens().eot) {
      token.text = detokenizer.push(token.id);
      last_text = i;
    }
    details.push_back(std::move(token));
  }
  if (!details.empty()) details[last_text].text += detokenizer.finish();
  return details;
}

}  // namespace whinchat::transcription
