#include "transcription/writers/txt.h"

#include <string>

#include "transcription/writers/segment_line.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string txt_line(const Segment& segment) {
  const std::string text = segment_line(segment);
  return text.empty() ? text : text + "\n";
}

std::string write_txt(const Transcription& transcription) {
  std::string text;
  for (const Segment& segment : transcription.segments) text += txt_line(segment);
  return text;
}

}  // namespace whinchat::transcription
