// The speech loop: 30 s windows over a file's log-mel, each decoded and cut into segments, the next
// one sought by the last timestamp (openai-whisper's transcribe). Engine thread.
#pragma once

#include <span>

#include "models/whisper/whisper.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// samples: 16 kHz mono. Throws as requested_language (language.h).
Transcription transcribe(const models::whisper::Whisper& model,
                         const text::WhisperTokenizer& tokenizer, std::span<const float> samples,
                         const TranscribeOptions& options, const TranscribeCallbacks& callbacks);

}  // namespace whinchat::transcription
