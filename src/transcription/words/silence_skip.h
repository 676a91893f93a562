// Where a window's words say that decoding goes on: openai-whisper 20250625's transcribe.py with
// word times, without a model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transcription/windows/window_segments.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// Improbable, or shorter or longer than words are: a segment of such words was perhaps not said.
bool is_anomalous(const TokenSegment& segment);

// End of the last word, else of the last segment; unset without segments.
std::optional<double> last_word_end(std::span<const TokenSegment> segments);

struct SilenceSkip {
  Window window;
  int64_t content_frames;             // of the file
  double last_speech_s;               // end of the last word before the window
  std::optional<double> threshold_s;  // hallucination_silence_threshold
};

// Moves next_seek to the end of the last word, unless nobody speaks after it. With a threshold,
// drops segments that were perhaps not said and have silence around them, and seeks to where they
// would begin. False: what was said at all comes after silence; nothing of the window stays.
bool seek_after_words(WindowSegments& segments, const SilenceSkip& skip);

}  // namespace whinchat::transcription
