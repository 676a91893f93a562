#include "transcription/words/word_timer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "models/whisper/dimensions.h"
#include "text/word_tokens.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/silence_skip.h"
#include "transcription/words/word_times.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kFramesPerSecond;

constexpr int kMostShortSteps = 2;

}  // namespace

std::vector<int32_t> WordTimer::text_tokens(const WindowSegments& segments) const {
  std::vector<int32_t> tokens;
  for (const TokenSegment& segment : segments.segments) {
    const std::vector<int32_t> text = tokenizer_.text_tokens(segment.tokens);
    tokens.insert(tokens.end(), text.begin(), text.end());
  }
  return tokens;
}

TimedWords WordTimer::words(const WindowSegments& segments, const TokenTimes& times,
                            std::string_view language_code) const {
  std::vector<TimedWord> words = time_words(
      text::split_to_word_tokens(tokenizer_, text_tokens(segments), language_code), times);
  const WordDurations durations = word_durations(words);
  shorten_at_sentence_ends(words, durations);
  merge_punctuations(words, options_.prepend_punctuations, options_.append_punctuations);
  return {std::move(words), durations};
}

bool WordTimer::time(WindowSegments& segments, const Window& window, const TokenTimes& times,
                     std::string_view language_code, int64_t content_frames) {
  const auto [words, durations] = this->words(segments, times, language_code);
  give_words(segments.segments, words, durations,
             {seconds_at(window.seek), last_speech_s_, tokenizer_.tokens().eot});
  const int64_t told_seek = segments.next_seek;
  const SilenceSkip skip{window, content_frames, last_speech_s_,
                         options_.hallucination_silence_threshold};
  const bool stays = seek_after_words(segments, skip);
  // Words of noise pile up where a window begins: the oracle creeps through it frame by frame.
  const bool is_short = segments.next_seek < std::min(told_seek, window.seek + kFramesPerSecond);
  short_steps_ = is_short ? short_steps_ + 1 : 0;
  if (short_steps_ > kMostShortSteps) segments.next_seek = told_seek;
  if (stays) last_speech_s_ = last_word_end(segments.segments).value_or(last_speech_s_);
  return stays;
}

}  // namespace whinchat::transcription
