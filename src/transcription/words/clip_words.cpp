#include "transcription/words/clip_words.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/word_times.h"

namespace whinchat::transcription {
namespace {

// More at an end of what is spoken in a clip, and some of it was perhaps not told.
constexpr double kMostUntoldSeconds = 1.0;
// More of a word before a pause, and it is spoken there, whatever of the pause it takes in.
constexpr double kMostBeforeSeconds = 0.7;

// For how long somebody speaks while the word lasts.
double overlap_s(const TimedWord& word, const Clip& voice) {
  return std::min(word.end_s, seconds_at(voice.end)) -
         std::max(word.start_s, seconds_at(voice.begin));
}

// The clips put together, and what they say.
class Apart {
 public:
  Apart(std::span<const KnownClip> clips, int32_t eot) : eot_(eot) {
    int64_t begin = 0;
    for (const KnownClip& known : clips) {
      const int64_t shift = known.clip.begin - begin;
      joins_.push_back(begin);
      shifts_.push_back(shift);
      voices_.push_back({known.voice.begin - shift, known.voice.end - shift});
      parts_.push_back({{}, known.clip.end, /*ends_with_single_timestamp=*/true});
      begin += known.clip.end - known.clip.begin;
    }
  }

  void add(const TokenSegment& segment, std::span<const TimedWord>& words);
  std::vector<WindowSegments> told() &&;

 private:
  void end_segment();
  size_t clip_of(const TimedWord& word) const;
  bool is_told(size_t clip) const;

  int32_t eot_;
  // On the clock of the clips put together, which begins with 0.
  std::vector<Clip> voices_;
  std::vector<int64_t> joins_;  // where each begins
  std::vector<int64_t> shifts_;
  std::vector<WindowSegments> parts_;
  size_t clip_ = 0;       // that speaks
  TokenSegment segment_;  // so far
};

// That in which it ends: a decoder that waits for a word looks at the pause before it. Unless so
// much of it lies before that pause that it is the last one of the clip before. Nobody speaks in a
// clip again that was done with.
size_t Apart::clip_of(const TimedWord& word) const {
  size_t clip = clip_;
  while (clip + 1 < voices_.size() && word.end_s > seconds_at(joins_[clip + 1])) ++clip;
  if (clip == clip_) return clip;
  const double before_s = overlap_s(word, voices_[clip - 1]);
  const bool is_last = before_s > kMostBeforeSeconds && before_s > overlap_s(word, voices_[clip]);
  return is_last ? clip - 1 : clip;
}

void Apart::add(const TokenSegment& segment, std::span<const TimedWord>& words) {
  size_t left = 0;  // tokens of the word in hand
  for (size_t i = 0; i < segment.tokens.size(); ++i) {
    if (segment.tokens[i] < eot_) {
      if (left == 0) {
        while (words.front().tokens.empty()) words = words.subspan(1);  // they say nothing
        const TimedWord& word = words.front();
        const size_t clip = clip_of(word);
        if (clip != clip_ && !segment_.words.empty()) end_segment();
        clip_ = clip;
        const double shift_s = seconds_at(shifts_[clip]);
        segment_.words.push_back(
            {word.word, shift_s + word.start_s, shift_s + word.end_s, word.probability});
        left = word.tokens.size();
        words = words.subspan(1);
      }
      --left;
    }
    segment_.tokens.push_back(segment.tokens[i]);
    segment_.logprobs.push_back(segment.logprobs[i]);
  }
  end_segment();
}

void Apart::end_segment() {
  TokenSegment segment = std::exchange(segment_, {});
  if (segment.words.empty()) return;
  segment.start_s = segment.words.front().start_s;
  segment.end_s = segment.words.back().end_s;
  parts_[clip_].segments.push_back(std::move(segment));
}

// From its beginning to its end.
bool Apart::is_told(size_t clip) const {
  const std::vector<TokenSegment>& segments = parts_[clip].segments;
  if (segments.empty()) return false;
  const double begin_s = seconds_at(shifts_[clip] + voices_[clip].begin);
  const double end_s = seconds_at(shifts_[clip] + voices_[clip].end);
  return segments.front().start_s - begin_s <= kMostUntoldSeconds &&
         end_s - segments.back().end_s <= kMostUntoldSeconds;
}

std::vector<WindowSegments> Apart::told() && {
  size_t count = 0;
  while (count < parts_.size() && is_told(count)) ++count;
  // What is not told may have been taken for the end of the clip before.
  if (count > 0 && count < parts_.size()) --count;
  parts_.resize(count);
  return std::move(parts_);
}

}  // namespace

std::vector<WindowSegments> told_apart(std::span<const TokenSegment> segments,
                                       std::span<const TimedWord> words,
                                       std::span<const KnownClip> clips, int32_t eot) {
  Apart apart(clips, eot);
  for (const TokenSegment& segment : segments) apart.add(segment, words);
  return std::move(apart).told();
}

}  // namespace whinchat::transcription
