#include "transcription/speech/voice_fit.h"

#include <algorithm>
#include <cmath>
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

void begin_first_with_voice(TokenSegment& first, double begin_s) {
  const double heard_s = first.words.empty() ? first.start_s : first.words.front().start_s;
  if (heard_s < begin_s || heard_s - begin_s >= kNearSeconds) return;
  if (!first.words.empty()) first.words.front().start_s = begin_s;
  first.start_s = begin_s;
}

void end_last_with_voice(TokenSegment& last, double end_s) {
  const double heard_s = last.words.empty() ? last.end_s : last.words.back().end_s;
  if (std::abs(heard_s - end_s) >= kNearSeconds) return;
  if (!last.words.empty()) end_at(last.words.back(), end_s);
  end_at(last, end_s);
}

}  // namespace

void fit_to_voice(WindowSegments& window, const Clip& clip, const Clip& voice) {
  const auto is_said = [](const TokenSegment& segment) { return !segment.tokens.empty(); };
  auto said = window.segments | std::views::filter(is_said);
  if (said.empty()) return;
  const double begin_s = seconds_at(voice.begin);
  for (TokenSegment& segment : said) {
    begin_not_before(segment, begin_s);
    for (Word& word : segment.words) begin_not_before(word, begin_s);
  }
  if (voice.begin > clip.begin) begin_first_with_voice(said.front(), begin_s);
  if (window.next_seek >= voice.end) end_last_with_voice(said.back(), seconds_at(voice.end));
}

}  // namespace whinchat::transcription
