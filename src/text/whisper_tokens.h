// Whisper's special tokens, computed from the vocabulary's size alone: English-only (51864),
// multilingual (51865), multilingual with Cantonese (51866). Text tokens lie below `eot`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace whinchat::text {

enum class Task { Transcribe, Translate };

struct WhisperTokens {
  static constexpr int32_t kTimestamps = 1501;  // from 0.00 to 30.00 s
  static constexpr int32_t kTimestampStepMs = 20;

  int32_t n_vocab;
  bool multilingual;
  int32_t eot;
  int32_t sot;
  int32_t first_language;
  int32_t n_languages;
  int32_t translate;
  int32_t transcribe;
  int32_t sot_lm;
  int32_t sot_prev;
  int32_t no_speech;
  int32_t no_timestamps;
  int32_t timestamp_begin;

  // Throws Error{Unsupported} for any other size.
  static WhisperTokens from_n_vocab(int64_t n_vocab);

  bool is_language(int32_t token) const {
    return token >= first_language && token < first_language + n_languages;
  }
  bool is_timestamp(int32_t token) const { return token >= timestamp_begin && token < n_vocab; }

  // Throws Error{BadInput} for a code that no language has, Error{Unsupported} for one that this
  // vocabulary lacks.
  int32_t language_token(std::string_view code) const;

  // The code of a language token. Throws Error{BadInput} for another token.
  std::string_view language_of(int32_t token) const;

  // What tiktoken prints for a token from `eot` on: "<|en|>", "<|notimestamps|>", "<|1.08|>".
  // Throws Error{BadInput} for an id that is none.
  std::string name_of(int32_t token) const;
};

}  // namespace whinchat::text
