#include "transcription/repetition.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "text/whisper_tokenizer.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr size_t kLongestPeriod = 4;
constexpr size_t kTimes = 3;

struct Texts {
  std::vector<std::string_view> all;  // without empty ones
  std::vector<size_t> indices;        // of the window's, in the window
  size_t own = 0;                     // where the window's begin
};

Texts texts_of(std::span<const std::string> before, std::span<const std::string> window) {
  Texts texts;
  for (const std::string& text : before) {
    if (!base::trimmed(text).empty()) texts.all.push_back(base::trimmed(text));
  }
  texts.own = texts.all.size();
  for (size_t i = 0; i < window.size(); ++i) {
    if (base::trimmed(window[i]).empty()) continue;
    texts.all.push_back(base::trimmed(window[i]));
    texts.indices.push_back(i);
  }
  return texts;
}

// Whether the `period` texts up to `end` are the last of kTimes equal groups.
bool ends_a_circle(std::span<const std::string_view> texts, size_t end, size_t period) {
  if (end < period * kTimes) return false;
  for (size_t i = end - period * (kTimes - 1); i < end; ++i) {
    if (texts[i] != texts[i - period]) return false;
  }
  return true;
}

// Without case and punctuation, as far as they are ASCII.
std::string words_of(std::string_view text) {
  std::string words = " ";
  for (const char character : text) {
    if (base::is_word_byte(character)) {
      words += base::ascii_lower(character);
    } else if (words.back() != ' ') {
      words += ' ';
    }
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

}  // namespace

std::optional<size_t> first_repeated(std::span<const std::string> before,
                                     std::span<const std::string> window) {
  const Texts texts = texts_of(before, window);
  const size_t count = texts.indices.size();
  if (count == 0) return std::nullopt;
  const std::span<const std::string_view> all = texts.all;
  if (texts.own >= count &&
      std::ranges::equal(all.last(count), all.subspan(texts.own - count, count))) {
    return texts.indices.front();
  }
  for (size_t end = texts.own + 1; end <= all.size(); ++end) {
    for (size_t period = 1; period <= kLongestPeriod; ++period) {
      if (!ends_a_circle(all, end, period)) continue;
      const size_t second = end - period * (kTimes - 1);
      return texts.indices[second > texts.own ? second - texts.own : 0];
    }
  }
  return std::nullopt;
}

std::optional<std::string> RepetitionJudge::repeated_text(const ToldWindow& told) const {
  const WindowSegments window =
      split_window(told.decoded.tokens, tokenizer_.tokens().timestamp_begin, told.place);
  std::vector<std::string> texts;
  texts.reserve(window.segments.size());
  for (const TokenSegment& segment : window.segments) {
    texts.push_back(tokenizer_.decode(tokenizer_.text_tokens(segment.tokens)));
  }
  const size_t enough = std::max(texts.size(), kLongestPeriod * kTimes);
  std::vector<std::string> before;
  before.reserve(enough);
  for (const Segment& segment : told.before.last(std::min(told.before.size(), enough))) {
    before.push_back(segment.text);
  }
  const std::optional<size_t> first = first_repeated(before, texts);
  return first ? std::optional(texts[*first]) : std::nullopt;
}

bool RepetitionJudge::suspects(const ToldWindow& told) const {
  if (options_.prompt_reset_on_repetition != true) return false;
  return is_repetitive(told.decoded, options_) || repeated_text(told).has_value();
}

bool RepetitionJudge::prefers(const DecodedWindow& untold, const ToldWindow& told) const {
  if (is_repetitive(untold, options_)) return false;
  const std::optional<std::string> repeated = repeated_text(told);
  return !repeated || words_of(untold.text).find(words_of(*repeated)) == std::string::npos;
}

}  // namespace whinchat::transcription
