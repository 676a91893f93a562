// Speech in samples that come in any pieces: Silero VAD and the finder of spans. Made, used and
// ended on the engine thread; finder() may be asked between calls from elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/vad/silero_vad.h"
#include "transcription/speech/speech_finder.h"
#include "whinchat/vad.h"

namespace whinchat::transcription {

class SpeechListener {
 public:
  // `options` have been checked; rate_hz is 16000 or 8000.
  SpeechListener(const VadOptions& options, int rate_hz)
      : SpeechListener(options, std::make_shared<models::vad::SileroVad>(rate_hz)) {}
  SpeechListener(const VadOptions& options, std::shared_ptr<const models::vad::SileroVad> model);

  int chunk_samples() const { return model_->chunk_samples(); }

  // The next samples, mono in −1 … 1. Returns the probabilities of the chunks that they complete.
  std::vector<float> hear(std::span<const float> samples);

  // No more samples: the last chunk is filled with zeros. Returns its probability, if there is one.
  std::vector<float> finish();

  SpeechFinder& finder() { return finder_; }
  const SpeechFinder& finder() const { return finder_; }

 private:
  std::vector<float> hear_chunks(std::span<const float> samples);

  std::shared_ptr<const models::vad::SileroVad> model_;
  models::vad::SileroVad::State state_;
  SpeechFinder finder_;
  std::vector<float> part_;  // of a chunk
  int64_t heard_ = 0;        // samples
};

}  // namespace whinchat::transcription
