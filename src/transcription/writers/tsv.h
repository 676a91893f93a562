// A line a segment that has words: start and end (ms) and text, with tabs between them, behind a
// heading. (openai-whisper 20250625)
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

std::string write_tsv(const Transcription& transcription);

}  // namespace whinchat::transcription
