#include "transcription/writers/tsv.h"

#include <string>

#include "base/error.h"
#include "base/text.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/segment_line.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_tsv(const Transcription& transcription) {
  std::string table = "start\tend\ttext\n";
  for (const Segment& segment : transcription.segments) {
    const std::string text = segment_line(segment);
    if (text.empty()) continue;
    table += fmt::format("{}\t{}\t{}\n", milliseconds(segment.start_s), milliseconds(segment.end_s),
                         base::replaced(text, "\t", " "));
  }
  return table;
}

}  // namespace whinchat::transcription
