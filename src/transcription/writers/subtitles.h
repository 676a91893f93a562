// Words put together as subtitles. (openai-whisper 20250625: SubtitlesWriter.iterate_subtitles)
#pragma once

#include <span>
#include <vector>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

struct Subtitle {
  std::vector<Word> words;  // a line feed before those that begin another line; at least one
  int channel = 0;          // as Segment::channel
};

std::vector<Subtitle> make_subtitles(std::span<const Segment> segments,
                                     const WriterOptions& options);

}  // namespace whinchat::transcription
