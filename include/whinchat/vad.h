// Voice activity: where speech is in a recording (Silero VAD). Needs no Whisper model.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "whinchat/api.h"

namespace whinchat {

// From probabilities of speech, one every 32 ms, to spans of it: names of faster-whisper and
// silero-vad, defaults for transcription. Where the two differ, silero-vad's rule is followed.
struct VadOptions {
  double threshold = 0.5;  // speech begins at a probability of this
  // Speech ends where it stays below this. Unset: threshold − 0.15, at least 0.01.
  std::optional<double> neg_threshold;
  int min_speech_duration_ms = 0;  // speech that is not longer is dropped
  // Shorter silences do not end speech. (faster-whisper has 2000: here a window ends with the
  // speech, unless it is short, and that costs more than 5 s of silence.)
  int min_silence_duration_ms = 5000;
  int speech_pad_ms = 400;  // added before and behind; shared out where silence is short
  // Longer speech is cut in a silence, else at once.
  double max_speech_duration_s = std::numeric_limits<double>::infinity();
  int min_silence_at_max_speech = 98;  // ms: silences that are longer may be cut in
  // Cut in the longest of them, else (as faster-whisper) in the last.
  bool use_max_poss_sil_at_max_speech = true;

  bool operator==(const VadOptions&) const = default;
};

// silero-vad's own defaults.
inline constexpr VadOptions kSileroVadOptions{
    .min_speech_duration_ms = 250, .min_silence_duration_ms = 100, .speech_pad_ms = 30};

struct FindSpeechOptions {
  VadOptions vad = kSileroVadOptions;
  int sampling_rate_hz = 16000;  // that the model hears: 16000 or 8000
  std::optional<int> channel;    // from 1; unset: all channels averaged
  // Only this part is heard; times stay the recording's. Unset: to the end.
  double start_s = 0;
  std::optional<double> end_s;
};

// Throws Error{BadInput} for a value out of range; find_speech() does it too.
WHINCHAT_API void check_find_speech_options(const FindSpeechOptions& options);

struct SpeechSegment {
  double start_s = 0, end_s = 0;  // on the recording's own clock
};

struct Speech {
  std::vector<SpeechSegment> segments;  // in order
  double end_s = 0;                     // up to where the recording was heard
  std::vector<std::string> warnings;    // what was odd about the input, a sentence each
  bool cancelled = false;               // stopped before the end: what was found until then
};

// Called on the caller's thread while the recording is heard; what they throw ends it.
struct FindSpeechCallbacks {
  std::function<void(const SpeechSegment&)> on_segment;  // as soon as nothing can change it
  // Of each 32 ms, the first of which begins at start_s of the options.
  std::function<void(double start_s, float probability)> on_probability;
  // What is said, in pieces: mono at the sampling rate, speech after speech.
  std::function<void(std::span<const float> samples)> on_samples;
  // total_s: what the file says of itself, at least done_s; unset where it does not know.
  std::function<void(double done_s, std::optional<double> total_s)> on_progress;
  std::stop_token stop;
};

// The speech of any audio or video file; "-" is standard input. Memory does not grow with its
// length. Throws Error; any thread may call it, and speech is found while no model is at work.
WHINCHAT_API Speech find_speech(const std::filesystem::path& file,
                                const FindSpeechOptions& options = {},
                                const FindSpeechCallbacks& callbacks = {});

// The same of mono samples at options.sampling_rate_hz, in −1 … 1. `channel` has no meaning.
WHINCHAT_API Speech find_speech(std::span<const float> samples,
                                const FindSpeechOptions& options = {},
                                const FindSpeechCallbacks& callbacks = {});

}  // namespace whinchat
