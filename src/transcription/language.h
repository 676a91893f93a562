// Which language a window speaks, from features that are there anyway. Engine thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokens.h"

namespace whinchat::transcription {

struct DetectedLanguage {
  std::string code;
  double probability;  // among all languages of the model
};

// `cross` is the window's Decoder::cross(features). The model must be multilingual.
DetectedLanguage detect_language(const models::whisper::Whisper& model,
                                 const std::vector<ops::KeyValue>& cross,
                                 const text::WhisperTokens& tokens);

}  // namespace whinchat::transcription
