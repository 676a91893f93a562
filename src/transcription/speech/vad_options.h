// What VadOptions may be.
#pragma once

#include "whinchat/vad.h"

namespace whinchat::transcription {

// Throws Error{BadInput} for a value out of range.
void check_vad_options(const VadOptions& options);

}  // namespace whinchat::transcription
