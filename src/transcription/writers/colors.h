// Text in colours that say how sure it is. (whisper.cpp 1.8: --print-colors)
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

// As txt_line, with a terminal's 256 colours: its words if they were timed, else its tokens.
std::string colored_line(const Segment& segment);

}  // namespace whinchat::transcription
