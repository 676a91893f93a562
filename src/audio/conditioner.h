// Turns blocks of any sample format, rate and channel count into mono f32 samples of one rate.
// Samples that are mono at that rate already pass bit for bit. The rate may change between blocks.
// Throws Error: Unsupported (rate), BadInput (a channel that the first block lacks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/audio_source.h"
#include "audio/pcm.h"
#include "audio/resample.h"

namespace whinchat::audio {

class Conditioner {
 public:
  // `name` is the file's, for messages.
  Conditioner(const OpenOptions& options, std::string name);

  static bool can_hear(int rate_hz);

  void push(const PcmBlock& block, int rate_hz);
  // After the last block: lets the resampler's tail out.
  void finish();
  // Moves ready samples to `out`; returns how many.
  size_t take(std::span<float> out);

  // Of the first block.
  int channels() const { return channels_; }
  bool has_heard() const { return heard_frames_ > 0; }
  // Of all blocks so far, in their own rates.
  double heard_s() const { return heard_s_; }
  // What was odd about the samples, one sentence each.
  std::vector<std::string> warnings() const;

 private:
  void change_rate(int rate_hz);
  void note_channels(size_t channels);
  void silence_from(size_t start);
  bool cancels() const;

  std::optional<int> channel_;  // from 1; unset averages all
  int to_hz_;
  std::string name_;
  int channels_ = 1;
  std::optional<Resampler> resampler_;
  int rate_hz_ = 0;
  std::vector<float> mono_;   // at the source's rate
  std::vector<float> ready_;  // at to_hz_
  size_t taken_ = 0;          // of `ready_`
  uint64_t heard_frames_ = 0;
  double heard_s_ = 0;
  MonoSums sums_;
  std::optional<double> channel_lost_s_;
};

}  // namespace whinchat::audio
