#include "transcription/rule_options.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "decoding/rules.h"
#include "text/whisper_tokenizer.h"
#include "text/whisper_tokens.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr int32_t kNonSpeech = -1;  // stands for the tokens of annotations

// Without the end of text nothing ends, without timestamps nothing begins.
void require_suppressible(int32_t token, const text::WhisperTokens& tokens) {
  if (token < 0 || token >= tokens.n_vocab) {
    base::fail(ErrorKind::BadInput, "suppress-tokens: expected -1 or tokens below {}, got {}",
               tokens.n_vocab, token);
  }
  if (token == tokens.eot || token >= tokens.timestamp_begin) {
    base::fail(ErrorKind::BadInput,
               "suppress-tokens: expected tokens that a text can do without, got {}, which is {}",
               token, tokens.name_of(token));
  }
}

std::vector<int32_t> suppressed_tokens(const text::WhisperTokenizer& tokenizer,
                                       const TranscribeOptions& options) {
  const text::WhisperTokens& tokens = tokenizer.tokens();
  std::set<int32_t> suppressed = {tokens.transcribe, tokens.translate, tokens.sot,
                                  tokens.sot_prev,   tokens.sot_lm,    tokens.no_speech};
  for (const int32_t token : options.suppress_tokens) {
    if (token == kNonSpeech) {
      const std::vector<int32_t> non_speech = tokenizer.non_speech_tokens();
      suppressed.insert(non_speech.begin(), non_speech.end());
    } else {
      require_suppressible(token, tokens);
      suppressed.insert(token);
    }
  }
  if (!options.suppress_regex.empty()) {
    const std::string what = fmt::format("suppress-regex: expected a regular expression, got {}",
                                         options.suppress_regex);
    for (const int32_t token : tokenizer.text().matching_tokens(options.suppress_regex, what)) {
      if (token < tokens.eot) suppressed.insert(token);
    }
  }
  return {suppressed.begin(), suppressed.end()};
}

std::optional<int> in_steps(std::optional<double> seconds) {
  constexpr double kStepS = text::WhisperTokens::kTimestampStepMs / 1000.0;
  return seconds ? std::optional(static_cast<int>(std::nearbyint(*seconds / kStepS)))
                 : std::nullopt;
}

}  // namespace

decoding::RuleOptions rule_options(const text::WhisperTokenizer& tokenizer,
                                   const TranscribeOptions& options, bool timestamps) {
  const text::WhisperTokens& tokens = tokenizer.tokens();
  decoding::RuleOptions rules{.suppress_tokens = suppressed_tokens(tokenizer, options),
                              .timestamps = timestamps,
                              .eot = tokens.eot,
                              .no_timestamps = tokens.no_timestamps,
                              .timestamp_begin = tokens.timestamp_begin,
                              .max_initial_timestamp = in_steps(options.max_initial_timestamp),
                              .repetition_penalty = options.repetition_penalty,
                              .no_repeat_ngram_size = options.no_repeat_ngram_size};
  if (options.suppress_blank) {
    rules.blank_tokens = tokenizer.blank_tokens();
    rules.blank_tokens.push_back(tokens.eot);
  }
  return rules;
}

}  // namespace whinchat::transcription
