// WebVTT: times with hours where there are any. As openai-whisper 20250625, but that "<" and "&" in
// a text are written as its specification wants them.
#pragma once

#include <string>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_vtt(const Transcription& transcription, const WriterOptions& options);

}  // namespace whinchat::transcription
