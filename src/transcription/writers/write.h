// A transcription in any format.
#pragma once

#include <string>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// As format_transcription.
std::string write(const Transcription& transcription, Format format, const WriterOptions& options);

}  // namespace whinchat::transcription
