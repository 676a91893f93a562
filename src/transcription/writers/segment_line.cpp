#include "transcription/writers/segment_line.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.h"
#include "text/characters.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string without_breaks(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
  return line;
}

std::string channel_label(int channel) {
  return channel > 0 ? fmt::format("(channel {}) ", channel) : "";
}

std::string plain_line(const Segment& segment) {
  return without_breaks(text::stripped(segment.text));
}

std::string segment_line(const Segment& segment) {
  const std::string text = plain_line(segment);
  return text.empty() ? text : channel_label(segment.channel) + text;
}

}  // namespace whinchat::transcription
