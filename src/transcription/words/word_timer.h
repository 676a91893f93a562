// Word times of one recording, window by window, from the times of tokens. Without a model.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/whisper_tokenizer.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/word_times.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

class WordTimer {
 public:
  // Both outlive this.
  WordTimer(const text::WhisperTokenizer& tokenizer, const TranscribeOptions& options)
      : tokenizer_(tokenizer), options_(options) {}

  // Which tokens of a window are to be timed.
  std::vector<int32_t> text_tokens(const WindowSegments& segments) const;

  // The oracle's, before segments get them. `times` are those of text_tokens.
  TimedWords words(const WindowSegments& segments, const TokenTimes& times,
                   std::string_view language_code) const;

  // The oracle's: gives the segments words, moves their borders and the next seek point, though no
  // more than twice in turn by less than a second: then the timestamps say where it is. False:
  // nothing of the window stays (seek_after_words). `times` are those of text_tokens.
  bool time(WindowSegments& segments, const Window& window, const TokenTimes& times,
            std::string_view language_code, int64_t content_frames);

  // Where the last word ends that was timed elsewhere.
  void set_last_speech_s(double end_s) { last_speech_s_ = end_s; }

 private:
  const text::WhisperTokenizer& tokenizer_;
  const TranscribeOptions& options_;
  double last_speech_s_ = 0;
  int short_steps_ = 0;  // windows in turn whose words ended right at their beginning
};

}  // namespace whinchat::transcription
