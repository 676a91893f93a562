// Plain text, a line a segment that has words.
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string txt_line(const Segment& segment);  // empty for a segment without words
std::string write_txt(const Transcription& transcription);

}  // namespace whinchat::transcription
