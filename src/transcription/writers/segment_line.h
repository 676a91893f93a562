// A segment's text where a line holds it.
#pragma once

#include <string>
#include <string_view>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

// `text` with line breaks as spaces.
std::string without_breaks(std::string_view text);

// What stands before a text that was heard in a channel of its own: "(channel 1) ", or nothing.
std::string channel_label(int channel);

// A segment's text in one line, without white space at either end; empty where it has no words.
std::string plain_line(const Segment& segment);

// The same behind its channel's label.
std::string segment_line(const Segment& segment);

}  // namespace whinchat::transcription
