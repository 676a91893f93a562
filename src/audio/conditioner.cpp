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

// Channels of opposite phase leave less than this of what unrelated ones would.
constexpr double kCancelled = 0.01;
// Mean power of a frame (−76 dB) below which a file is silent anyway: the last bits of 16.
constexpr double kSilent = 2.5e-8;

}  // namespace

Conditioner::Conditioner(const OpenOptions& options, std::string name)
    : channel_(options.channel), to_hz_(options.rate_hz), name_(std::move(name)) {
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
    append_mono(block, channel_, ready_, sums_);
  } else {
    mono_.clear();
    append_mono(block, channel_, mono_, sums_);
    const size_t start = ready_.size();
    resampler_->push(mono_, ready_);
    silence_from(start);
  }
  heard_frames_ += block.frames;
  heard_s_ += static_cast<double>(block.frames) / rate_hz;
}

void Conditioner::finish() {
  if (!resampler_) return;
  const size_t start = ready_.size();
  resampler_->finish(ready_);
  silence_from(start);
  resampler_.reset();
}

void Conditioner::silence_from(size_t start) {
  sums_.non_finite += silence_non_finite(std::span(ready_).subspan(start));
}

// One channel alone, and channels that have nothing to do with each other, leave all of it.
bool Conditioner::cancels() const {
  return sums_.power < kCancelled * sums_.unrelated_power &&
         sums_.unrelated_power > kSilent * static_cast<double>(heard_frames_);
}

size_t Conditioner::take(std::span<float> out) {
  const size_t count = std::min(out.size(), ready_.size() - taken_);
  std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(taken_), count, out.begin());
  taken_ += count;
  return count;
}

std::vector<std::string> Conditioner::warnings() const {
  std::vector<std::string> result;
  if (sums_.non_finite > 0) {
    result.push_back(fmt::format("{} samples are infinite or not a number and were read as silence",
                                 sums_.non_finite));
  }
  if (cancels()) {
    result.emplace_back(
        "the channels are of opposite phase, so that their average is nearly silent: hear one of "
        "them with --channel 1");
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
  if (rate_hz != to_hz_) resampler_.emplace(rate_hz, to_hz_);
}

void Conditioner::note_channels(size_t channels) {
  if (!has_heard()) channels_ = static_cast<int>(channels);
  if (!channel_ || static_cast<size_t>(*channel_) <= channels) return;
  if (!has_heard()) {
    base::fail(ErrorKind::BadInput, "{} has {} channel{}, so there is no channel {}", name_,
               channels, channels == 1 ? "" : "s", *channel_);
  }
  if (!channel_lost_s_) channel_lost_s_ = heard_s_;
}

}  // namespace whinchat::audio
