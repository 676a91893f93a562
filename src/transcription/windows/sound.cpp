#include "transcription/windows/sound.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/whisper/dimensions.h"
#include "models/whisper/log_mel.h"
#include "transcription/windows/clips.h"

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
  std::vector<float>& last = held_.back().samples;
  last.insert(last.end(), samples.begin(), samples.end());
  end_ += static_cast<int64_t>(samples.size());
}

void Sound::finish() { is_finished_ = true; }

int64_t Sound::frames() const {
  if (is_finished_) return end_ / kHopLength;
  if (log_mel_->is_faithful() || end_ < kHalfFrame) return 0;
  return (end_ - kHalfFrame) / kHopLength + 1;
}

// Of one stretch.
std::span<const float> Sound::held(int64_t begin, int64_t end) const {
  const auto has_end = [&](const Stretch& stretch) { return stretch.end() >= end; };
  const Stretch& stretch = *std::ranges::find_if(held_, has_end);
  return std::span(stretch.samples)
      .subspan(static_cast<size_t>(begin - stretch.begin), static_cast<size_t>(end - begin));
}

// Mirrored before the beginning; zeros behind the end.
std::vector<float> Sound::signal_of(int64_t begin, int64_t frames) const {
  const int64_t first = begin * kHopLength - kHalfFrame;
  const int64_t size = frames * kHopLength + 2 * kHalfFrame;
  std::vector<float> signal(static_cast<size_t>(size));
  const int64_t last = std::min(first + size, end_);
  const int64_t from = std::max<int64_t>(first, 0);
  if (from < last) std::ranges::copy(held(from, last), signal.begin() + (from - first));
  for (int64_t i = first; i < std::min<int64_t>(0, first + size); ++i) {
    if (-i < end_) signal[static_cast<size_t>(i - first)] = held(-i, 1 - i).front();
  }
  return signal;
}

mx::array Sound::mel(int64_t begin, int frames) {
  if (!log_mel_->is_faithful()) {
    measure_up_to(begin + frames);
    return log_mel_->frames(signal_of(begin, frames), known_maximum_.value_or(maximum_));
  }
  if (!whole_) whole_ = log_mel_->of(held_.front().samples, kWindowSamples);
  const auto first = static_cast<int>(begin);
  return mx::slice(*whole_, {first, 0}, {first + frames, whole_->shape(1)});
}

bool Sound::is_digital_silence(int64_t begin, int64_t frames) const {
  const auto sample_at = [&](int64_t frame) { return std::min(frame * kHopLength, end_); };
  return std::ranges::all_of(held(sample_at(begin), sample_at(begin + frames)),
                             [](float sample) { return sample == 0; });
}

void Sound::forget_before(int64_t frame) { keep({}, frame); }

void Sound::keep(std::span<const Clip> clips, int64_t next) {
  if (log_mel_->is_faithful()) return;
  const int64_t first = clips.empty() ? next : clips.front().begin;
  measure_up_to(std::min(first, frames()));
  // Until the maximum is known, what lies between is still to be measured.
  const std::vector<Samples> needed =
      known_maximum_ ? needed_samples(clips, next) : needed_samples({}, first);
  int64_t dropped = held_samples();
  for (const auto& [begin, end] : needed) dropped -= end - begin;
  // Whole windows at a time: what stays is moved.
  if (dropped < kWindowSamples) return;
  std::vector<Stretch> kept;
  for (const auto& [begin, end] : needed) {
    const std::span<const float> samples = held(begin, end);
    kept.push_back({begin, {samples.begin(), samples.end()}});
  }
  held_ = std::move(kept);
}

int64_t Sound::held_samples() const {
  int64_t count = 0;
  for (const Stretch& stretch : held_) count += stretch.end() - stretch.begin;
  return count;
}

// Apart, in order; the last one is where more is to come.
std::vector<Sound::Samples> Sound::needed_samples(std::span<const Clip> clips, int64_t next) const {
  std::vector<Samples> needed;
  const auto add = [&](int64_t begin, int64_t end) {
    begin = std::clamp<int64_t>(begin, held_.front().begin, end_);
    end = std::min(end, end_);
    if (needed.empty() || begin > needed.back().second) {
      needed.emplace_back(begin, end);
    } else {
      needed.back().second = std::max(needed.back().second, end);
    }
  };
  for (const Clip& clip : clips) {
    add(clip.begin * kHopLength - kHalfFrame, clip.end * kHopLength + kHalfFrame);
  }
  add(next * kHopLength - kHalfFrame, end_);
  return needed;
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
