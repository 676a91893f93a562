#include "audio/conditioner.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "audio/pcm.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

// Lower rates carry no speech, and each of their samples would become many.
constexpr int kLowestHz = 1000;
constexpr int kHighestHz = 6144000;

}  // namespace

Conditioner::Conditioner(std::optional<int> channel, std::string name)
    : channel_(channel), name_(std::move(name)) {
  if (channel_ && *channel_ < 1) {
    base::fail(ErrorKind::BadInput, "channels are counted from 1, got channel {}", *channel_);
  }
}

bool Conditioner::can_hear(int rate_hz) { return rate_hz >= kLowestHz && rate_hz <= kHighestHz; }

void Conditioner::push(const PcmBlock& block, int rate_hz) {
  if (rate_hz != rate_hz_) change_rate(rate_hz);
  if (block.frames == 0 || block.channels.empty()) return;
  note_channels(block.channels.size());
  if (taken_ == ready_.size()) {
    ready_.clear();
    taken_ = 0;
  }
  if (!resampler_) {
    non_finite_ += append_mono(block, channel_, ready_);
  } else {
    mono_.clear();
    non_finite_ += append_mono(block, channel_, mono_);
    const size_t start = ready_.size();
    resampler_->push(mono_, ready_);
    non_finite_ += silence_non_finite(std::span(ready_).subspan(start));
  }
  heard_frames_ += block.frames;
  heard_s_ += static_cast<double>(block.frames) / rate_hz;
}

void Conditioner::finish() {
  if (!resampler_) return;
  const size_t start = ready_.size();
  resampler_->finish(ready_);
  non_finite_ += silence_non_finite(std::span(ready_).subspan(start));
  resampler_.reset();
}

size_t Conditioner::take(std::span<float> out) {
  const size_t count = std::min(out.size(), ready_.size() - taken_);
  std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(taken_), count, out.begin());
  taken_ += count;
  return count;
}

std::vector<std::string> Conditioner::warnings() const {
  std::vector<std::string> result;
  if (non_finite_ > 0) {
    result.push_back(fmt::format("{} samples are infinite or not a number and were read as silence",
                                 non_finite_));
  }
  if (channel_lost_s_) {
    result.push_back(fmt::format("channel {} is missing from {:.1f} s on and was read as silence",
                                 channel_.value_or(0), *channel_lost_s_));
  }
  return result;
}

void Conditioner::change_rate(int rate_hz) {
  if (!can_hear(rate_hz)) {
    base::fail(ErrorKind::Unsupported, "{} has a sample rate of {} Hz; expected {} to {} Hz", name_,
               rate_hz, kLowestHz, kHighestHz);
  }
  finish();
  rate_hz_ = rate_hz;
  if (rate_hz != kSampleRate) resampler_.emplace(rate_hz, kSampleRate);
}

void Conditioner::note_channels(size_t channels) {
  if (!channel_ || static_cast<size_t>(*channel_) <= channels) return;
  if (!has_heard()) {
    base::fail(ErrorKind::BadInput, "{} has {} channel{}, so there is no channel {}", name_,
               channels, channels == 1 ? "" : "s", *channel_);
  }
  if (!channel_lost_s_) channel_lost_s_ = heard_s_;
}

}  // namespace whinchat::audio
