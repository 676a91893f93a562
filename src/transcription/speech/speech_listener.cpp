#include "transcription/speech/speech_listener.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/vad/silero_vad.h"
#include "whinchat/vad.h"

namespace whinchat::transcription {

SpeechListener::SpeechListener(const VadOptions& options,
                               std::shared_ptr<const models::vad::SileroVad> model)
    : model_(std::move(model)), finder_(options, model_->rate_hz(), model_->chunk_samples()) {}

std::vector<float> SpeechListener::hear(std::span<const float> samples) {
  heard_ += std::ssize(samples);
  const auto chunk = static_cast<size_t>(chunk_samples());
  std::vector<float> probabilities;
  if (!part_.empty()) {
    const size_t count = std::min(chunk - part_.size(), samples.size());
    part_.insert(part_.end(), samples.begin(), samples.begin() + static_cast<ptrdiff_t>(count));
    samples = samples.subspan(count);
    if (part_.size() < chunk) return {};
    probabilities = hear_chunks(part_);
    part_.clear();
  }
  const std::span<const float> whole = samples.first(samples.size() / chunk * chunk);
  const std::vector<float> found = hear_chunks(whole);
  probabilities.insert(probabilities.end(), found.begin(), found.end());
  const std::span<const float> rest = samples.subspan(whole.size());
  part_.assign(rest.begin(), rest.end());
  return probabilities;
}

std::vector<float> SpeechListener::finish() {
  if (!part_.empty()) part_.resize(static_cast<size_t>(chunk_samples()));
  std::vector<float> probabilities = hear_chunks(part_);
  part_.clear();
  finder_.finish(heard_);
  return probabilities;
}

std::vector<float> SpeechListener::hear_chunks(std::span<const float> samples) {
  std::vector<float> probabilities = model_->probabilities(samples, state_);
  for (const float probability : probabilities) finder_.push(probability);
  return probabilities;
}

}  // namespace whinchat::transcription
