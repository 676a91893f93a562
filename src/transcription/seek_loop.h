// One window after another: decoded, cut into segments, the next one sought by the last timestamp
// (openai-whisper's transcribe). What comes when is streaming_run's. Engine thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokenizer.h"
#include "transcription/prompt_history.h"
#include "transcription/repetition.h"
#include "transcription/spoken_language.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/sound.h"
#include "transcription/windows/window_decoder.h"
#include "transcription/windows/window_features.h"
#include "transcription/windows/window_segments.h"
#include "transcription/words/alignment.h"
#include "transcription/words/word_timer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

class SeekLoop {
 public:
  // All outlive this. Throws as requested_language (language.h).
  SeekLoop(const models::whisper::Whisper& model, const text::WhisperTokenizer& tokenizer,
           const TranscribeOptions& options, const TranscribeCallbacks& callbacks, Sound& sound);
  SeekLoop(const SeekLoop&) = delete;
  SeekLoop& operator=(const SeekLoop&) = delete;

  int window_frames() const { return features_.window_frames(); }
  // Whether windows wait for the language of the first ones; once detect() was called, no more.
  bool wants_language() const { return language_.is_wanted(); }
  void detect_language(std::span<const std::vector<Clip>> windows) {
    language_.detect(features_, windows);
  }

  void begin_clip(bool is_longer_than_a_window);
  // From the beginning of `rest` on; where the next window begins: there again if it was stopped.
  // `voice`: where in the clip somebody speaks; null if that is not known.
  int64_t transcribe_window(const Clip& rest, const Clip* voice);

  // Clips as one window: how many of them, from the first on, are done to their ends. At least
  // half; else none, where what is said cannot be told apart, or not surely enough: nothing of it
  // stays, and each clip is to be heard by itself.
  size_t transcribe_together(std::span<const KnownClip> clips);

  // Of all windows so far.
  Transcription take_result();

 private:
  const WindowDecoder& decoder_for(const std::string& language);
  std::optional<DecodedWindow> decode(const std::vector<ops::KeyValue>& cross,
                                      const std::string& language, const Window& place);
  void add_segment(TokenSegment segment, int64_t seek, const DecodedWindow& decoded,
                   const std::string& language);
  // Returns the frame at which the last one ends.
  int64_t add_segments(WindowSegments window, const Window& place, const DecodedWindow& decoded,
                       const std::string& language);
  // False: nothing of the window stays.
  bool time_words(WindowSegments& parts, const Window& window, const std::string& language,
                  const std::vector<ops::KeyValue>& cross);
  TokenTimes token_times(const WindowSegments& parts, const Window& window,
                         const std::string& language, const std::vector<ops::KeyValue>& cross);
  void forget_if_misleading(const DecodedWindow& decoded);
  int frames_per_timestamp() const;
  bool is_timestamp(int32_t token) const { return tokenizer_.tokens().is_timestamp(token); }

  const models::whisper::Whisper& model_;
  const text::WhisperTokenizer& tokenizer_;
  const TranscribeOptions& options_;
  const TranscribeCallbacks& callbacks_;
  Sound& sound_;
  WindowFeatures features_;
  const RepetitionJudge judge_;
  std::map<std::string, WindowDecoder> decoders_;  // by language
  WordTimer word_timer_;
  Transcription result_;
  PromptHistory history_;             // warns in the result
  SpokenLanguage language_;           // tells the result
  bool timestamps_ = true;            // whether the decoder has them
  std::vector<int64_t> cut_windows_;  // seek points of windows that lost the end of their text
};

}  // namespace whinchat::transcription
