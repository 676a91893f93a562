#include "transcription/repetition.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "text/whisper_tokenizer.h"
#include "transcription/window_decoder.h"
#include "transcription/window_segments.h"
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

std::string text_of(const TokenSegment& segment, const text::WhisperTokenizer& tokenizer) {
  std::vector<int32_t> tokens;
  for (const int32_t token : segment.tokens) {
    if (token < tokenizer.tokens().eot) tokens.push_back(token);
  }
  return tokenizer.decode(tokens);
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

bool cut_repetition(WindowSegments& segments, std::span<const Segment> before,
                    const DecodedWindow& decoded, const Window& window,
                    const text::WhisperTokenizer& tokenizer, const TranscribeOptions& options) {
  if (options.prompt_reset_on_repetition != true) return false;
  std::vector<std::string> texts;
  texts.reserve(segments.segments.size());
  for (const TokenSegment& segment : segments.segments) {
    texts.push_back(text_of(segment, tokenizer));
  }
  const size_t enough = std::max(texts.size(), kLongestPeriod * kTimes);
  const std::span<const Segment> last = before.last(std::min(before.size(), enough));
  std::vector<std::string> told;
  told.reserve(last.size());
  for (const Segment& segment : last) {
    told.push_back(segment.text);
  }
  std::optional<size_t> first = first_repeated(told, texts);
  const std::optional<double> most = options.compression_ratio_threshold;
  if (!first && !(most && decoded.compression_ratio > *most)) return false;

  const int64_t begin = frame_at(segments.segments[first.value_or(0)].start_s);
  if (begin <= window.seek) first = 0;
  segments.segments.resize(first.value_or(0));
  segments.next_seek = segments.segments.empty() ? window.seek : begin;
  return true;
}

}  // namespace whinchat::transcription
