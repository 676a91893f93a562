#include "transcription/windows/sound.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/log_mel.h"

namespace whinchat::transcription {
namespace {

namespace mx = mlx::core;
using models::whisper::kHopLength;
using models::whisper::kWindowFrames;
using models::whisper::kWindowSamples;
using models::whisper::LogMelSpectrogram;

constexpr int64_t kHalfFrame = 200;  // samples

}  // namespace

Sound::Sound(const LogMelSpectrogram& log_mel, std::optional<float> maximum)
    : log_mel_(&log_mel),
      known_maximum_(maximum),
      maximum_(-std::numeric_limits<float>::infinity()) {}

Sound Sound::whole(const LogMelSpectrogram& log_mel, std::span<const float> samples) {
  Sound sound(log_mel);
  sound.push(samples);
  sound.finish();
  if (!log_mel.is_faithful()) sound.known_maximum_ = sound.maximum();
  return sound;
}

void Sound::push(std::span<const float> samples) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  end_ += static_cast<int64_t>(samples.size());
}

void Sound::finish() { is_finished_ = true; }

int64_t Sound::frames() const {
  if (is_finished_) return end_ / kHopLength;
  if (log_mel_->is_faithful() || end_ < kHalfFrame) return 0;
  return (end_ - kHalfFrame) / kHopLength + 1;
}

// Mirrored before the beginning; zeros behind the end.
float Sound::at(int64_t sample) const {
  const int64_t index = sample < 0 ? -sample : sample;
  return index < end_ ? samples_[static_cast<size_t>(index - begin_)] : 0.0F;
}

std::vector<float> Sound::signal_of(int64_t begin, int64_t frames) const {
  const int64_t first = begin * kHopLength - kHalfFrame;
  const int64_t size = frames * kHopLength + 2 * kHalfFrame;
  std::vector<float> signal(static_cast<size_t>(size));
  int64_t i = 0;
  for (; i < size && first + i < 0; ++i) signal[static_cast<size_t>(i)] = at(first + i);
  const int64_t copied = std::min(end_ - first, size) - i;
  if (copied > 0) std::copy_n(samples_.begin() + (first + i - begin_), copied, signal.begin() + i);
  return signal;
}

mx::array Sound::mel(int64_t begin, int frames) {
  if (!log_mel_->is_faithful()) {
    measure_up_to(begin + frames);
    return log_mel_->frames(signal_of(begin, frames), known_maximum_.value_or(maximum_));
  }
  if (!whole_) whole_ = log_mel_->of(samples_, kWindowSamples);
  const auto first = static_cast<int>(begin);
  return mx::slice(*whole_, {first, 0}, {first + frames, whole_->shape(1)});
}

bool Sound::is_digital_silence(int64_t begin, int64_t frames) const {
  const auto index = [&](int64_t frame) {
    return static_cast<size_t>(std::min(frame * kHopLength, end_) - begin_);
  };
  const auto sound =
      std::span(samples_).subspan(index(begin), index(begin + frames) - index(begin));
  return std::ranges::all_of(sound, [](float sample) { return sample == 0; });
}

void Sound::forget_before(int64_t frame) {
  if (log_mel_->is_faithful()) return;
  measure_up_to(std::min(frame, frames()));
  const int64_t first = std::clamp(frame * kHopLength - kHalfFrame, begin_, end_);
  // Whole windows at a time: what stays is moved.
  if (first - begin_ < kWindowSamples && first < end_) return;
  samples_.erase(samples_.begin(), samples_.begin() + (first - begin_));
  begin_ = first;
}

void Sound::measure() {
  measure_up_to(frames());
  forget_before(frames());
}

float Sound::maximum() {
  // Frames behind the end still see its last samples.
  measure_up_to(is_finished_ ? (end_ + kHalfFrame) / kHopLength + 1 : frames());
  return known_maximum_.value_or(maximum_);
}

void Sound::measure_up_to(int64_t frame) {
  if (known_maximum_ || log_mel_->is_faithful()) return;
  while (measured_ < frame) {
    const int64_t count = std::min<int64_t>(frame - measured_, kWindowFrames);
    maximum_ = std::max(maximum_, log_mel_->greatest_log_power(signal_of(measured_, count)));
    measured_ += count;
  }
}

}  // namespace whinchat::transcription
