#include "text/whisper_tokens.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "text/languages.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

constexpr int64_t kEnglish = 51864;
constexpr int64_t kMultilingual = 51865;
constexpr int64_t kMultilingualWithCantonese = 51866;

// The tokens between the languages and the timestamps, in order.
constexpr auto kAfterLanguages =
    std::to_array<std::string_view>({"<|translate|>", "<|transcribe|>", "<|startoflm|>",
                                     "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"});

std::string bracketed(std::string_view name) {
  std::string text = "<|";
  text += name;
  text += "|>";
  return text;
}

// Seconds with two decimals.
std::string seconds_text(int32_t time_ms) {
  std::string text = std::to_string(time_ms / 1000);
  text += '.';
  text += static_cast<char>('0' + time_ms / 100 % 10);
  text += static_cast<char>('0' + time_ms / 10 % 10);
  return text;
}

}  // namespace

WhisperTokens WhisperTokens::from_n_vocab(int64_t n_vocab) {
  if (n_vocab < kEnglish || n_vocab > kMultilingualWithCantonese) {
    base::fail(ErrorKind::Unsupported,
               "expected a Whisper vocabulary of {} (English), {} or {} (multilingual) tokens, "
               "got {}",
               kEnglish, kMultilingual, kMultilingualWithCantonese, n_vocab);
  }
  WhisperTokens tokens{};
  tokens.n_vocab = static_cast<int32_t>(n_vocab);
  tokens.multilingual = n_vocab >= kMultilingual;
  tokens.n_languages = tokens.n_vocab - 51765 - (tokens.multilingual ? 1 : 0);
  tokens.timestamp_begin = tokens.n_vocab - kTimestamps;
  tokens.no_timestamps = tokens.timestamp_begin - 1;
  tokens.no_speech = tokens.timestamp_begin - 2;
  tokens.sot_prev = tokens.timestamp_begin - 3;
  tokens.sot_lm = tokens.timestamp_begin - 4;
  tokens.transcribe = tokens.timestamp_begin - 5;
  tokens.translate = tokens.timestamp_begin - 6;
  tokens.first_language = tokens.translate - tokens.n_languages;
  tokens.sot = tokens.first_language - 1;
  tokens.eot = tokens.sot - 1;
  return tokens;
}

int32_t WhisperTokens::language_token(std::string_view code) const {
  const auto all = languages();
  const auto found = std::ranges::find(all, code, &Language::code);
  if (found == all.end()) {
    base::fail(ErrorKind::BadInput, "expected the code of a language, got \"{}\"", code);
  }
  const auto place = static_cast<int32_t>(found - all.begin());
  if (place >= n_languages) {
    base::fail(ErrorKind::Unsupported, "the model knows {} languages, but not {} ({})", n_languages,
               found->name, code);
  }
  return first_language + place;
}

std::string_view WhisperTokens::language_of(int32_t token) const {
  if (!is_language(token)) {
    base::fail(ErrorKind::BadInput, "expected a language token in {} … {}, got {}", first_language,
               first_language + n_languages - 1, token);
  }
  return languages()[static_cast<size_t>(token - first_language)].code;
}

std::string WhisperTokens::name_of(int32_t token) const {
  if (token < eot || token >= n_vocab) {
    base::fail(ErrorKind::BadInput, "expected a special token in {} … {}, got {}", eot, n_vocab - 1,
               token);
  }
  if (token == eot) return "<|endoftext|>";
  if (token == sot) return "<|startoftranscript|>";
  if (is_language(token)) return bracketed(language_of(token));
  if (token < timestamp_begin) {
    return std::string(kAfterLanguages[static_cast<size_t>(token - translate)]);
  }
  return bracketed(seconds_text((token - timestamp_begin) * kTimestampStepMs));
}

}  // namespace whinchat::text
