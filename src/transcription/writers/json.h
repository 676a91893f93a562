// openai-whisper's JSON: text, segments, language.
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

// One line that ends with a line feed; non-ASCII text as UTF-8.
std::string write_json(const Transcription& transcription);

}  // namespace whinchat::transcription
