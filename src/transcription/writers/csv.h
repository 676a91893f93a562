// A line a segment that has words: start and end (ms) and text in quotation marks, by commas,
// behind a heading. (whisper.cpp 1.8: output_csv)
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_csv(const Transcription& transcription);

}  // namespace whinchat::transcription
