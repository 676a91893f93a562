#include "transcription/writers/csv.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "transcription/writers/clock.h"
#include "transcription/writers/segment_line.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_csv(const Transcription& transcription) {
  const bool has_channels = std::ranges::any_of(
      transcription.segments, [](const Segment& segment) { return segment.channel > 0; });
  std::string table = has_channels ? "start,end,channel,text\n" : "start,end,text\n";
  for (const Segment& segment : transcription.segments) {
    const std::string text = plain_line(segment);
    if (text.empty()) continue;
    table += fmt::format("{},{},", milliseconds(segment.start_s), milliseconds(segment.end_s));
    if (has_channels) table += fmt::format("{},", segment.channel);
    table += fmt::format("\"{}\"\n", base::replaced(text, "\"", "\"\""));
  }
  return table;
}

}  // namespace whinchat::transcription
