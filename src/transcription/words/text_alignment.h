// When a text that is known is said: the recording is transcribed, the text matched with what was
// heard, and its own words timed window by window. Engine thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "models/vad/silero_vad.h"
#include "models/whisper/whisper.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// A segment a line of `text`. Throws Error{BadInput} for a text without words, and as transcribe.
Transcription align_text(const models::whisper::Whisper& model,
                         const text::WhisperTokenizer& tokenizer,
                         const std::shared_ptr<const models::vad::SileroVad>& vad,
                         std::span<const float> samples, std::string_view text,
                         const TranscribeOptions& options, const TranscribeCallbacks& callbacks);

}  // namespace whinchat::transcription
