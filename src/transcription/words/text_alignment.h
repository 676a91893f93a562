// When a text that is known is said: the recording is transcribed, the text matched with what was
// heard, and its own words timed window by window. Engine thread.
#pragma once

#include <span>
#include <string_view>

#include "transcription/streaming_run.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// A segment a line of `text`. Throws Error{BadInput} for a text without words, and as transcribe.
Transcription align_text(const Hearing& hearing, std::span<const float> samples,
                         std::string_view text, const TranscribeOptions& options,
                         const TranscribeCallbacks& callbacks);

}  // namespace whinchat::transcription
