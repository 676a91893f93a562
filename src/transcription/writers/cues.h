// What subtitles show, and when. (openai-whisper 20250625: SubtitlesWriter.iterate_result)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

struct Cue {
  int64_t start_ms = 0, end_ms = 0;
  int channel = 0;                        // as Segment::channel
  std::string before, underlined, after;  // the text; all of it is `before` where nothing is marked
};

// In order: each lasts, and begins no earlier than the one before. None is blank.
// Throws Error{BadInput} where options need words and the transcription has none.
std::vector<Cue> make_cues(const Transcription& transcription, const WriterOptions& options);

std::string with_underline(const Cue& cue);  // <u> … </u>

}  // namespace whinchat::transcription
