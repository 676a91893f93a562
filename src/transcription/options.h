// Which options make sense at all, whatever the model.
#pragma once

#include "whinchat/transcription.h"

namespace whinchat::transcription {

// Throws Error{BadInput} that names the option, what was expected and what came.
void check_options(const TranscribeOptions& options);

}  // namespace whinchat::transcription
