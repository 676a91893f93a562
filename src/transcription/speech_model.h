// A loaded Whisper checkpoint with its tokenizer. Lives and works on the engine thread.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

class SpeechModel {
 public:
  // Throws Error: {Unsupported} where MLX's products do not run on OpenBLAS, and what loading
  // finds.
  SpeechModel(const std::filesystem::path& folder, const ModelOptions& options);
  ~SpeechModel();
  SpeechModel(const SpeechModel&) = delete;
  SpeechModel& operator=(const SpeechModel&) = delete;

  // Throws Error{BadInput} for options that this model cannot serve.
  void check(const TranscribeOptions& options) const;

  Transcription transcribe(std::span<const float> samples, const TranscribeOptions& given,
                           const TranscribeCallbacks& callbacks) const;

  // As Transcriber::detect_language.
  std::vector<LanguageProbability> detect_language(std::span<const float> samples,
                                                   const TranscribeOptions& options) const;

  // When `text`, which is said, is said: align_text.
  Transcription align(std::span<const float> samples, std::string_view text,
                      TranscribeOptions given, const TranscribeCallbacks& callbacks) const;

  // Of the last transcription, if ModelOptions::profile asked for it.
  Profile profile() const;

 private:
  struct Parts;  // keeps MLX's types out of this header
  std::unique_ptr<const Parts> parts_;
};

}  // namespace whinchat::transcription
