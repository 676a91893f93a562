// A loaded Whisper checkpoint with its tokenizer. Lives and works on the engine thread.
#pragma once

#include <filesystem>
#include <span>

#include "models/whisper/whisper.h"
#include "text/whisper_tokenizer.h"
#include "weights/checkpoint.h"
#include "whinchat/transcription.h"

namespace whinchat::service {

class SpeechModel {
 public:
  // Throws Error{Unsupported} where MLX's products do not run on OpenBLAS.
  SpeechModel(const std::filesystem::path& folder, const ModelOptions& options);

  // Throws Error{BadInput} for options that this model cannot serve.
  void check(const TranscribeOptions& options) const;

  Transcription transcribe(std::span<const float> samples, const TranscribeOptions& options,
                           const TranscribeCallbacks& callbacks) const;

 private:
  SpeechModel(weights::Checkpoint checkpoint, const ModelOptions& options);

  models::whisper::Whisper model_;
  text::WhisperTokenizer tokenizer_;
};

}  // namespace whinchat::service
