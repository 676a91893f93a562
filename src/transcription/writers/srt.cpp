#include "transcription/writers/srt.h"

#include <string>

#include "base/error.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/cues.h"
#include "transcription/writers/segment_line.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_srt(const Transcription& transcription, const WriterOptions& options) {
  std::string document;
  int number = 0;
  for (const Cue& cue : make_cues(transcription, options)) {
    document +=
        fmt::format("{}\n{} --> {}\n", ++number, clock_time(cue.start_ms, ',', Hours::Always),
                    clock_time(cue.end_ms, ',', Hours::Always));
    document += channel_label(cue.channel) + with_underline(cue) + "\n\n";
  }
  return document;
}

}  // namespace whinchat::transcription
