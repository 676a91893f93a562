// openai-whisper's JSON: text, segments, language. Behind the file's name where it is given.
#pragma once

#include <string>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// One line that ends with a line feed; non-ASCII text as UTF-8, bytes that are none as U+FFFD.
std::string write_json(const Transcription& transcription, const WriterOptions& options);

}  // namespace whinchat::transcription
