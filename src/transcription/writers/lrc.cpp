#include "transcription/writers/lrc.h"

#include <cstdint>
#include <string>

#include "base/error.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/segment_line.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_lrc(const Transcription& transcription) {
  std::string lyrics = "[by:whinchat]\n";
  for (const Segment& segment : transcription.segments) {
    const std::string text = segment_line(segment);
    if (text.empty()) continue;
    const int64_t hundredths = milliseconds(segment.start_s) / 10;
    lyrics += fmt::format("[{:02}:{:02}.{:02}]{}\n", hundredths / 6000, hundredths / 100 % 60,
                          hundredths % 100, text);
  }
  return lyrics;
}

}  // namespace whinchat::transcription
