#include "transcription/words/word_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

// begin_s < end_s.
void fit(const std::vector<Word*>& words, double begin_s, double end_s) {
  constexpr double kShortestSeconds = 0.02;
  auto left = static_cast<double>(words.size());
  const bool has_room = end_s - begin_s >= (left + 1) * kShortestSeconds;
  const double step_s = has_room ? kShortestSeconds : (end_s - begin_s) / left;
  const auto tidy = [&](double time_s) {
    return has_room ? std::nearbyint(time_s * 100) / 100 : time_s;
  };
  for (Word* word : words) {
    // What follows needs room too.
    word->start_s = std::min(std::max(word->start_s, begin_s), tidy(end_s - left * step_s));
    left -= 1;
    const double latest_s = tidy(end_s - left * step_s);
    word->end_s = std::min(std::max(word->end_s, tidy(word->start_s + step_s)), latest_s);
    begin_s = word->end_s;
  }
}

}  // namespace

void fit_words(WindowSegments& segments, const Window& window) {
  std::vector<Word*> words;
  for (TokenSegment& segment : segments.segments) {
    if (segment.tokens.empty()) segment.words.clear();
    for (Word& word : segment.words) words.push_back(&word);
  }
  if (words.empty()) return;
  const int64_t end = std::min(segments.next_seek, window.seek + window.segment_frames);
  fit(words, seconds_at(window.seek), seconds_at(end));
  for (TokenSegment& segment : segments.segments) {
    if (segment.words.empty()) continue;
    segment.start_s = std::min(segment.start_s, segment.words.front().start_s);
    segment.end_s = std::max(segment.end_s, segment.words.back().end_s);
  }
}

}  // namespace whinchat::transcription
