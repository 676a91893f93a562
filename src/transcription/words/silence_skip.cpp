#include "transcription/words/silence_skip.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/whisper/dimensions.h"
#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kWindowFrames;

constexpr std::string_view kPunctuation = "\"'“¿([{-\"'.。,，!！?？:：”)]}、";
// Silence that is not counted against a window: its beginning and its end.
constexpr double kEdgeSeconds = 2.0;

double anomaly_of(const Word& word) {
  constexpr double kImprobable = 0.15;
  constexpr double kShortSeconds = 0.133;
  constexpr double kLongSeconds = 2.0;
  const double duration_s = word.end_s - word.start_s;
  double anomaly = 0;
  if (word.probability < kImprobable) anomaly += 1;
  if (duration_s < kShortSeconds) anomaly += (kShortSeconds - duration_s) * 15;
  if (duration_s > kLongSeconds) anomaly += duration_s - kLongSeconds;
  return anomaly;
}

// The first segment of them that has words, or null.
const TokenSegment* first_with_words(std::span<const TokenSegment> segments) {
  const auto found =
      std::ranges::find_if(segments, [](const auto& segment) { return !segment.words.empty(); });
  return found == segments.end() ? nullptr : &*found;
}

// Index of the first segment that was perhaps not said, with silence or more such around it.
std::optional<size_t> find_hallucination(std::span<const TokenSegment> segments,
                                         const SilenceSkip& skip) {
  const double threshold_s = skip.threshold_s.value();
  const double begin_s = seconds_at(skip.window.seek);
  const double window_end_s = seconds_at(skip.window.seek + kWindowFrames);
  double said_until_s = skip.last_speech_s;
  for (size_t i = 0; i < segments.size(); ++i) {
    const TokenSegment& segment = segments[i];
    if (segment.words.empty()) continue;
    if (is_anomalous(segment)) {
      const TokenSegment* next = first_with_words(segments.subspan(i + 1));
      const double next_s = next != nullptr ? next->words.front().start_s
                                            : begin_s + seconds_at(skip.window.segment_frames);
      const bool is_silent_before = segment.start_s - said_until_s > threshold_s ||
                                    segment.start_s < threshold_s ||
                                    segment.start_s - begin_s < kEdgeSeconds;
      const bool is_silent_after = next_s - segment.end_s > threshold_s ||
                                   (next != nullptr && is_anomalous(*next)) ||
                                   window_end_s - segment.end_s < kEdgeSeconds;
      if (is_silent_before && is_silent_after) return i;
    }
    said_until_s = segment.end_s;
  }
  return std::nullopt;
}

bool skip_silence(WindowSegments& window, const SilenceSkip& skip) {
  const double threshold_s = skip.threshold_s.value();
  const double begin_s = seconds_at(skip.window.seek);
  const std::optional<double> end_s = last_word_end(window.segments);
  if (!window.ends_with_single_timestamp && end_s && *end_s > begin_s) {
    const double left_s = seconds_at(skip.window.seek + kWindowFrames) - *end_s;
    window.next_seek =
        left_s > threshold_s ? frame_at(*end_s) : skip.window.seek + skip.window.segment_frames;
  }

  const TokenSegment* first = first_with_words(window.segments);
  if (first != nullptr && is_anomalous(*first)) {
    const double gap_s = first->start_s - begin_s;
    if (gap_s > threshold_s) {
      window.next_seek = skip.window.seek + frame_at(gap_s);
      return false;
    }
  }

  if (const std::optional<size_t> found = find_hallucination(window.segments, skip)) {
    const TokenSegment& segment = window.segments[*found];
    window.next_seek = frame_at(std::max(begin_s + 1, segment.start_s));
    if (seconds_at(skip.content_frames) - segment.end_s < threshold_s) {
      window.next_seek = skip.content_frames;
    }
    window.segments.resize(*found);
  }
  return true;
}

}  // namespace

bool is_anomalous(const TokenSegment& segment) {
  constexpr size_t kWords = 8;
  constexpr double kCertain = 3;
  size_t count = 0;
  double anomaly = 0;
  for (const Word& word : segment.words) {
    if (kPunctuation.find(word.text) != std::string_view::npos) continue;
    anomaly += anomaly_of(word);
    if (++count == kWords) break;
  }
  return !segment.words.empty() &&
         (anomaly >= kCertain || anomaly + 0.01 >= static_cast<double>(count));
}

std::optional<double> last_word_end(std::span<const TokenSegment> segments) {
  for (size_t i = segments.size(); i-- > 0;) {
    if (!segments[i].words.empty()) return segments[i].words.back().end_s;
  }
  if (segments.empty()) return std::nullopt;
  return segments.back().end_s;
}

bool seek_after_words(WindowSegments& window, const SilenceSkip& skip) {
  if (!window.ends_with_single_timestamp) {
    const std::optional<double> end_s = last_word_end(window.segments);
    if (end_s && *end_s > seconds_at(skip.window.seek)) window.next_seek = frame_at(*end_s);
  }
  const bool stays = !skip.threshold_s || skip_silence(window, skip);
  // Onwards in any case, or the same window came again for ever.
  window.next_seek = std::max(window.next_seek, skip.window.seek + 1);
  return stays;
}

}  // namespace whinchat::transcription
