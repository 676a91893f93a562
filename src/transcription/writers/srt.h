// SubRip's subtitles: numbered, times with hours and a comma. (openai-whisper 20250625)
#pragma once

#include <string>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_srt(const Transcription& transcription, const WriterOptions& options);

}  // namespace whinchat::transcription
