// Voice activity: where speech is in a recording (Silero VAD). Needs no Whisper model.
#pragma once

#include <limits>
#include <optional>

namespace whinchat {

// From probabilities of speech, one every 32 ms, to spans of it: names of faster-whisper and
// silero-vad, defaults for transcription. Where the two differ, silero-vad's rule is followed.
struct VadOptions {
  double threshold = 0.5;  // speech begins at a probability of this
  // Speech ends where it stays below this. Unset: threshold − 0.15, at least 0.01.
  std::optional<double> neg_threshold;
  int min_speech_duration_ms = 0;      // speech that is not longer is dropped
  int min_silence_duration_ms = 2000;  // shorter silences do not end speech
  int speech_pad_ms = 400;             // added before and behind; shared out where silence is short
  // Longer speech is cut in a silence, else at once.
  double max_speech_duration_s = std::numeric_limits<double>::infinity();
  int min_silence_at_max_speech = 98;  // ms: silences that are longer may be cut in
  // Cut in the longest of them, else (as faster-whisper) in the last.
  bool use_max_poss_sil_at_max_speech = true;
};

}  // namespace whinchat
