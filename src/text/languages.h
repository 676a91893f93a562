// The languages that Whisper knows, in the order of their tokens. Names and aliases are those of
// openai-whisper (mlx_whisper/tokenizer.py 0.4.3), in lower case.
#pragma once

#include <span>
#include <string_view>

namespace whinchat::text {

struct Language {
  std::string_view code;
  std::string_view name;
};

struct LanguageAlias {
  std::string_view name;
  std::string_view code;
};

std::span<const Language> languages();
std::span<const LanguageAlias> language_aliases();

// The code of a language given by code, name or alias, in any case. Throws Error{BadInput} that
// suggests the nearest name.
std::string_view find_language(std::string_view code_or_name);

}  // namespace whinchat::text
