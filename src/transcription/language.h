// Which language is spoken: what the options ask for, and what windows say. Engine thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokens.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/window_features.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// The code of the language that `options` ask for; empty: to be detected. Throws Error{BadInput}
// for unknown languages, and for languages and a task that the model cannot serve.
std::string requested_language(const models::whisper::ModelDimensions& dims,
                               const TranscribeOptions& options);

// What to say to those who want a translation of a model that may have been made without; else
// empty.
std::string translation_warning(const models::whisper::ModelDimensions& dims,
                                const TranscribeOptions& options);

// Likeliest first, never empty; together 1.
using LanguageProbabilities = std::vector<LanguageProbability>;

// Of a window, from features that are there anyway: `cross` is Decoder::cross(features). Among
// `candidates` (codes or names), or among all that the model knows if there are none. The model
// must be multilingual.
LanguageProbabilities language_probabilities(const models::whisper::Whisper& model,
                                             const std::vector<ops::KeyValue>& cross,
                                             const text::WhisperTokens& tokens,
                                             std::span<const std::string> candidates = {});

// Whether somebody speaks in a window, as its decoder says before any text.
bool is_spoken(const models::whisper::Whisper& model, const std::vector<ops::KeyValue>& cross,
               const text::WhisperTokens& tokens, const TranscribeOptions& options);

// Which of a recording's windows, at least one, says its language: the first whose likeliest is
// above the threshold. If none is, the surest of those that name what most windows name, and the
// first of equals (faster-whisper 1.2.1).
size_t deciding_window(std::span<const LanguageProbabilities> windows, double threshold);

// What windows say, each of clips put together, until one decides. Empty where there is no window.
// Throws nothing of its own.
LanguageProbabilities detect_language(const models::whisper::Whisper& model,
                                      const text::WhisperTokens& tokens, WindowFeatures& features,
                                      std::span<const std::vector<Clip>> windows,
                                      const TranscribeOptions& options);

}  // namespace whinchat::transcription
