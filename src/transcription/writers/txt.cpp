#include "transcription/writers/txt.h"

#include <string>

#include "base/text.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string txt_line(const Segment& segment) {
  const std::string text(base::trimmed(segment.text));
  return text.empty() ? text : text + "\n";
}

std::string write_txt(const Transcription& transcription) {
  std::string text;
  for (const Segment& segment : transcription.segments) text += txt_line(segment);
  return text;
}

}  // namespace whinchat::transcription
