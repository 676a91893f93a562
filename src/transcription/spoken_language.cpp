#include "transcription/spoken_language.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "text/whisper_tokens.h"
#include "transcription/language.h"
#include "transcription/prompt_history.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/window_features.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

SpokenLanguage::SpokenLanguage(const models::whisper::Whisper& model,
                               const text::WhisperTokens& tokens, const TranscribeOptions& options,
                               const TranscribeCallbacks& callbacks, Transcription& result)
    : model_(model), tokens_(tokens), options_(options), callbacks_(callbacks), result_(result) {
  result_.language = requested_language(model.dims(), options);
  is_wanted_ = result_.language.empty() && !options.multilingual;
  std::string doubt = translation_warning(model.dims(), options);
  if (!doubt.empty()) result_.warnings.push_back(std::move(doubt));
}

void SpokenLanguage::detect(WindowFeatures& features, std::span<const std::vector<Clip>> windows) {
  is_wanted_ = false;
  LanguageProbabilities heard = detect_language(model_, tokens_, features, windows, options_);
  if (!heard.empty()) take(std::move(heard));
}

std::string SpokenLanguage::of_window(const std::vector<ops::KeyValue>& cross,
                                      PromptHistory& history) {
  if (!options_.multilingual) return result_.language;
  LanguageProbabilities heard = language_probabilities(model_, cross, tokens_, options_.languages);
  std::string language = heard.front().language;
  if (result_.language.empty()) {
    take(std::move(heard));
  } else if (language != last_) {
    history.forget();  // the decoder would go on in the other language
  }
  last_ = language;
  return language;
}

void SpokenLanguage::take(LanguageProbabilities heard) {
  result_.language = heard.front().language;
  result_.language_probabilities = std::move(heard);
  if (!callbacks_.on_language) return;
  callbacks_.on_language(result_.language, result_.language_probabilities.front().probability);
}

}  // namespace whinchat::transcription
