// A recording's transcription while it is heard: each window is decoded once its sound is there, so
// that pieces of any size give the same segments. Engine thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/vad/silero_vad.h"
#include "models/whisper/whisper.h"
#include "text/whisper_tokenizer.h"
#include "transcription/seek_loop.h"
#include "transcription/speech/speech_listener.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/sound.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// What a first pass over the recording found.
struct Foreknown {
  std::optional<float> greatest_log_power;  // else frames are clamped to that up to a window's end
  std::optional<int64_t> samples;
};

// The first pass.
class Survey {
 public:
  explicit Survey(const models::whisper::Whisper& model);  // outlives this
  void feed(std::span<const float> samples);
  Foreknown finish();  // once

 private:
  bool is_needed_;  // the oracle's graph has the whole recording at hand
  int64_t samples_ = 0;
  Sound sound_;
};

// What a recording is heard with.
struct Hearing {
  const models::whisper::Whisper& model;
  const text::WhisperTokenizer& tokenizer;
  std::shared_ptr<const models::vad::SileroVad> vad;  // of 16 kHz; null: all is heard
};

class StreamingRun {
 public:
  // What `hearing` refers to outlives this. Throws as requested_language (language.h).
  StreamingRun(const Hearing& hearing, TranscribeOptions options, TranscribeCallbacks callbacks,
               const Foreknown& foreknown = {});

  // Ends with what the first windows say of the language: finish() gives that alone.
  void only_detect_language() { only_detects_ = true; }

  // Whether what follows may matter; it need not be fed then.
  bool wants_more() const { return only_detects_ ? loop_.wants_language() : !clips_.is_done(); }

  // 16 kHz mono; what comes behind a requested stop is not heard. By the oracle's graph windows
  // wait for finish().
  void feed(std::span<const float> samples);
  Transcription finish();  // once

 private:
  bool step();
  bool is_there(const Clip& rest, bool is_closed) const;
  bool transcribe_front(const KnownClip& front);
  bool transcribe_together(std::span<const KnownClip> clips);
  std::optional<size_t> clips_of_next_window(std::span<const KnownClip> known) const;
  std::optional<std::vector<std::vector<Clip>>> language_windows() const;
  int64_t settled_frame() const;
  void advance();
  void finish_before(int64_t frame);
  void report(int64_t frame);
  bool is_stopped() const { return callbacks_.stop.stop_requested(); }

  const TranscribeOptions options_;
  const TranscribeCallbacks callbacks_;
  const Foreknown foreknown_;
  Sound sound_;
  SeekLoop loop_;
  ClipQueue clips_;
  std::optional<SpeechListener> speech_;  // unset: all is audible
  bool shares_windows_;                   // clips do
  int64_t apart_ = 0;                     // clips that begin before it have a window each
  int64_t lookahead_;                     // frames behind a window that what it says may depend on
  std::optional<int64_t> seek_;           // where the next window of the clip in hand begins
  int64_t reported_ = 0;                  // frames that progress was told of
  int64_t samples_ = 0;                   // that were fed
  bool only_detects_ = false;
  bool is_cut_short_ = false;
};

// Of a whole recording: one feed and one finish.
Transcription transcribe(const Hearing& hearing, std::span<const float> samples,
                         const TranscribeOptions& options, const TranscribeCallbacks& callbacks);

}  // namespace whinchat::transcription
