// The speech loop: 30 s windows over a file's log-mel, each decoded and cut into segments, the next
// one sought by the last timestamp (openai-whisper's transcribe). Engine thread.
#pragma once

#include <span>
#include <string>

#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "text/whisper_tokenizer.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// The code of the language that `options` ask for; empty: to be detected. Throws Error{BadInput}
// for an unknown language, and for a language or task that the model cannot serve.
std::string requested_language(const models::whisper::ModelDimensions& dims,
                               const TranscribeOptions& options);

// samples: 16 kHz mono. Throws as requested_language.
Transcription transcribe(const models::whisper::Whisper& model,
                         const text::WhisperTokenizer& tokenizer, std::span<const float> samples,
                         const TranscribeOptions& options, const TranscribeCallbacks& callbacks);

}  // namespace whinchat::transcription
