// Lyrics, a line a segment that has words: "[mm:ss.cc]text". (whisper.cpp 1.8: output_lrc)
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_lrc(const Transcription& transcription);

}  // namespace whinchat::transcription
