#include "transcription/writers/vtt.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/cues.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

std::string escaped(std::string text) {
  return base::replaced(base::replaced(std::move(text), "&", "&amp;"), "<", "&lt;");
}

}  // namespace

std::string write_vtt(const Transcription& transcription, const WriterOptions& options) {
  std::string document = "WEBVTT\n\n";
  for (Cue& cue : make_cues(transcription, options)) {
    for (std::string* part : {&cue.before, &cue.underlined, &cue.after}) {
      *part = escaped(std::move(*part));
    }
    document += fmt::format("{} --> {}\n", clock_time(cue.start_ms, '.', Hours::WhereNeeded),
                            clock_time(cue.end_ms, '.', Hours::WhereNeeded));
    if (cue.channel > 0) document += fmt::format("<v Channel {}>", cue.channel);
    document += with_underline(cue) + "\n\n";
  }
  return document;
}

}  // namespace whinchat::transcription
