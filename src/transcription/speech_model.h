// A loaded Whisper checkpoint with its tokenizer. Lives and works on the engine thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

class StreamingRun;
class Survey;

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

  // One recording's, in pieces.
  class Run;
  std::unique_ptr<Run> begin(const TranscribeOptions& given,
                             const TranscribeCallbacks& callbacks) const;

  // One that ends with the language. Throws Error{BadInput} where there is none to detect.
  std::unique_ptr<Run> begin_detection(const TranscribeOptions& given,
                                       const TranscribeCallbacks& callbacks) const;

  // When `text`, which is said, is said: align_text.
  Transcription align(std::span<const float> samples, std::string_view text,
                      TranscribeOptions given, const TranscribeCallbacks& callbacks) const;

  // Of the last transcription, if ModelOptions::profile asked for it.
  Profile profile() const;

 private:
  struct Parts;  // keeps MLX's types out of this header
  std::unique_ptr<Parts> parts_;
};

// A StreamingRun in its model's device and profile. The model outlives it.
class SpeechModel::Run {
 public:
  Run(Parts& parts, TranscribeOptions options, TranscribeCallbacks callbacks, bool only_detects);
  ~Run();

  // A first pass over all samples, for those that can be had twice: before feed().
  void survey(std::span<const float> samples);
  // False: nothing that follows matters.
  bool feed(std::span<const float> samples);
  Transcription finish();  // once

 private:
  StreamingRun& run();

  Parts& parts_;
  TranscribeOptions options_;
  TranscribeCallbacks callbacks_;
  std::unique_ptr<Survey> survey_;
  int64_t surveyed_ = 0;  // samples
  bool only_detects_;
  std::unique_ptr<StreamingRun> run_;
};

}  // namespace whinchat::transcription
