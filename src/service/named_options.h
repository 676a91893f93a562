// Options set by their names, for faces without C++ types.
#pragma once

#include <string_view>
#include <vector>

#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::service {

struct SpeechOptions {
  ModelOptions model;
  TranscribeOptions transcribe;
  WriterOptions writer;
};

// Names and values are the command line's: "language", "task", "no-speech-threshold"; underscores
// are dashes. Throws Error{BadInput}.
void set_option(SpeechOptions& options, std::string_view name, std::string_view value);

// All names, as set_option() takes them.
std::vector<std::string_view> option_names();

}  // namespace whinchat::service
