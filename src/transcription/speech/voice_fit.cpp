#include "transcription/speech/voice_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>

#include "transcription/windows/clips.h"
#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

constexpr double kShortestSeconds = 0.02;
constexpr double kNearSeconds = 0.5;

// Of a segment or a word.
template <typename Timed>
void begin_not_before(Timed& timed, double begin_s) {
  const double latest_s = std::max(timed.start_s, timed.end_s - kShortestSeconds);
  timed.start_s = std::clamp(begin_s, timed.start_s, latest_s);
}

template <typename Timed>
void end_at(Timed& timed, double end_s) {
  if (end_s >= timed.start_s + kShortestSeconds) timed.end_s = end_s;
}

}  // namespace

void fit_to_voice(WindowSegments& segments, int64_t clip_end, const Clip& voice) {
  const auto is_said = [](const TokenSegment& segment) { return !segment.tokens.empty(); };
  const double begin_s = seconds_at(voice.begin);
  for (TokenSegment& segment : segments.segments | std::views::filter(is_said)) {
    begin_not_before(segment, begin_s);
    for (Word& word : segment.words) begin_not_before(word, begin_s);
  }

  const auto last = std::ranges::find_if(segments.segments | std::views::reverse, is_said);
  if (segments.next_seek < clip_end || last == segments.segments.rend()) return;
  const double end_s = seconds_at(voice.end);
  const double heard_s = last->words.empty() ? last->end_s : last->words.back().end_s;
  if (std::abs(heard_s - end_s) >= kNearSeconds) return;
  if (!last->words.empty()) end_at(last->words.back(), end_s);
  end_at(*last, end_s);
}

}  // namespace whinchat::transcription
