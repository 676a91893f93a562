#include "text/whisper_tokenizer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "text/whisper_tokens.h"
#include "whinchat/error.h"

namespace whinchat::text {
namespace {

// clang-format off
constexpr auto kSymbols = std::to_array<std::string_view>({
    "\"", "#", "(", ")", "*", "+", "/", ":", ";", "<", "=", ">", "@", "[", "\\", "]", "^", "_", "`",
    "{", "|", "}", "~", "「", "」", "『", "』",
    "<<", ">>", "<<<", ">>>", "--", "---", "-(", "-[", "('", "(\"", "((", "))", "(((", ")))",
    "[[", "]]", "{{", "}}", "♪♪", "♪♪♪",
});
// Where one of these takes several tokens, its first stands for U+2640 … U+267F alone, which may
// go as well.
constexpr auto kNotes = std::to_array<std::string_view>({"♩", "♪", "♫", "♬", "♭", "♮", "♯"});
// clang-format on

Vocabulary vocabulary_of(const WhisperTokens& tokens) {
  return tokens.multilingual ? Vocabulary::Multilingual : Vocabulary::English;
}

}  // namespace

WhisperTokenizer::WhisperTokenizer(int64_t n_vocab)
    : tokens_(WhisperTokens::from_n_vocab(n_vocab)), text_(vocabulary_of(tokens_)) {}

WhisperTokenizer::WhisperTokenizer(int64_t n_vocab, Tokenizer text, std::string_view what)
    : tokens_(WhisperTokens::from_n_vocab(n_vocab)), text_(std::move(text)) {
  const bool is_other = text_.is_embedded() && text_.n_text_tokens() != tokens_.eot;
  if (is_other || text_.n_text_tokens() < tokens_.eot) {
    base::fail(ErrorKind::Corrupt,
               "{}: expected the {} text tokens of {} model, got a tokenizer of {}", what,
               tokens_.eot, tokens_.multilingual ? "a multilingual" : "an English-only",
               text_.n_text_tokens());
  }
}

std::vector<int32_t> WhisperTokenizer::encode(std::string_view text) const {
  std::vector<int32_t> ids = text_.encode(text);
  const auto special = std::ranges::find_if(ids, [&](int32_t id) { return id >= tokens_.eot; });
  if (special != ids.end()) {
    base::fail(ErrorKind::Corrupt, "expected text tokens below {} from the tokenizer, got {}",
               tokens_.eot, *special);
  }
  return ids;
}

std::vector<int32_t> WhisperTokenizer::sot_sequence(std::string_view language_code,
                                                    Task task) const {
  if (!tokens_.multilingual) return {tokens_.sot};
  return {tokens_.sot, tokens_.language_token(language_code),
          task == Task::Transcribe ? tokens_.transcribe : tokens_.translate};
}

std::vector<int32_t> WhisperTokenizer::non_speech_tokens() const {
  // A hyphen and a quote may stand inside a word, but not begin one.
  std::set<int32_t> result = {encode(" -").at(0), encode(" '").at(0)};
  const auto add = [&](std::string_view symbol, bool first_of_many) {
    for (std::string text : {"", " "}) {
      text += symbol;
      const std::vector<int32_t> ids = encode(text);
      if (ids.size() == 1 || (first_of_many && !ids.empty())) result.insert(ids[0]);
    }
  };
  for (const std::string_view symbol : kSymbols) add(symbol, false);
  for (const std::string_view note : kNotes) add(note, true);
  return {result.begin(), result.end()};
}

std::vector<int32_t> WhisperTokenizer::text_tokens(std::span<const int32_t> ids) const {
  std::vector<int32_t> text;
  std::ranges::copy_if(ids, std::back_inserter(text), [&](int32_t id) { return id < tokens_.eot; });
  return text;
}

std::string WhisperTokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<int32_t> kept;
  std::ranges::copy_if(ids, std::back_inserter(kept),
                       [&](int32_t id) { return id < tokens_.timestamp_begin; });
  return decode_with_timestamps(kept);
}

std::string WhisperTokenizer::decode_with_timestamps(std::span<const int32_t> ids) const {
  std::string text;
  Utf8Stream stream;
  for (const int32_t id : ids) {
    if (id < tokens_.eot) {
      stream.push(text_.token_bytes(id), text);
    } else {
      stream.push(tokens_.name_of(id), text);
    }
  }
  stream.finish(text);
  return text;
}

}  // namespace whinchat::text
