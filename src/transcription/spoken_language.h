// The languages that a run is heard in, told to its result and to on_language. Engine thread.
#pragma once

#include <span>
#include <string>
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

class SpokenLanguage {
 public:
  // All outlive this. Takes the language that the options ask for, or throws as
  // requested_language.
  SpokenLanguage(const models::whisper::Whisper& model, const text::WhisperTokens& tokens,
                 const TranscribeOptions& options, const TranscribeCallbacks& callbacks,
                 Transcription& result);

  // Whether it is neither given, nor each window's own, nor detected by now.
  bool is_wanted() const { return is_wanted_; }

  // What windows say, each of clips put together.
  void detect(WindowFeatures& features, std::span<const std::vector<Clip>> windows);

  // The code; unless multilingual that of the whole run. A change makes `history` forget.
  std::string of_window(const std::vector<ops::KeyValue>& cross, PromptHistory& history);

 private:
  void take(LanguageProbabilities heard);

  const models::whisper::Whisper& model_;
  const text::WhisperTokens& tokens_;
  const TranscribeOptions& options_;
  const TranscribeCallbacks& callbacks_;
  Transcription& result_;
  bool is_wanted_;
  std::string last_;  // of the window before, if multilingual
};

}  // namespace whinchat::transcription
