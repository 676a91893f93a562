// All that is known, in the fields of openai-whisper's JSON and more: docs/formats.md.
#pragma once

#include <string>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// As write_json.
std::string write_json_full(const Transcription& transcription, const WriterOptions& options);

}  // namespace whinchat::transcription
