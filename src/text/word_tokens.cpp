#include "text/word_tokens.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/characters.h"
#include "text/whisper_tokenizer.h"

namespace whinchat::text {
namespace {

constexpr auto kWithoutSpaces =
    std::to_array<std::string_view>({"zh", "ja", "th", "lo", "my", "yue"});
constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

std::vector<WordTokens> split_on_characters(const WhisperTokenizer& tokenizer,
                                            std::span<const int32_t> tokens) {
  const std::u32string whole = code_points(tokenizer.decode_with_timestamps(tokens));
  std::vector<WordTokens> words;
  std::vector<int32_t> current;
  size_t offset = 0;  // of `current` in `whole`
  for (const int32_t token : tokens) {
    current.push_back(token);
    std::string word = tokenizer.decode_with_timestamps(current);
    const std::u32string characters = code_points(word);
    const size_t torn = characters.find(kReplacementCharacter);
    // A character that is torn here but not in the whole text is completed by the next token.
    const bool is_whole =
        torn == std::u32string::npos ||
        (offset + torn < whole.size() && whole[offset + torn] == kReplacementCharacter);
    if (!is_whole) continue;
    offset += characters.size();
    words.push_back({std::move(word), std::exchange(current, {})});
  }
  if (!current.empty()) words.push_back({tokenizer.decode_with_timestamps(current), current});
  return words;
}

std::vector<WordTokens> joined_to_spaces(std::vector<WordTokens> parts, int32_t eot) {
  std::vector<WordTokens> words;
  for (WordTokens& part : parts) {
    const bool is_special = part.tokens.front() >= eot;
    // A part of nothing but spaces counts as punctuation too.
    const bool is_punctuation = kPunctuation.find(stripped(part.word)) != std::string_view::npos;
    if (words.empty() || is_special || is_punctuation || part.word.starts_with(' ')) {
      words.push_back(std::move(part));
      continue;
    }
    WordTokens& word = words.back();
    word.word += part.word;
    word.tokens.insert(word.tokens.end(), part.tokens.begin(), part.tokens.end());
  }
  return words;
}

}  // namespace

bool has_spaces(std::string_view language_code) {
  return std::ranges::find(kWithoutSpaces, language_code) == kWithoutSpaces.end();
}

std::vector<WordTokens> split_to_word_tokens(const WhisperTokenizer& tokenizer,
                                             std::span<const int32_t> tokens,
                                             std::string_view language_code) {
  std::vector<WordTokens> parts = split_on_characters(tokenizer, tokens);
  if (!has_spaces(language_code)) return parts;
  return joined_to_spaces(std::move(parts), tokenizer.tokens().eot);
}

}  // namespace whinchat::text
