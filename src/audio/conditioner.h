// Turns blocks of any sample format, rate and channel count into 16 kHz mono f32 samples. Samples
// that are 16 kHz mono already pass bit for bit. The rate may change between blocks.
// Throws Error: Unsupported (rate), BadInput (a channel that the first block lacks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/pcm.h"
#include "audio/resample.h"

namespace whinchat::audio {

class Conditioner {
 public:
  // `channel` counts from 1; unset averages all. `name` is the file's, for messages.
  Conditioner(std::optional<int> channel, std::string name);

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

  std::optional<int> channel_;
  std::string name_;
  int channels_ = 1;
  std::optional<Resampler> resampler_;
  int rate_hz_ = 0;
  std::vector<float> mono_;   // at the source's rate
  std::vector<float> ready_;  // at 16 kHz
  size_t taken_ = 0;          // of `ready_`
  uint64_t heard_frames_ = 0;
  double heard_s_ = 0;
  MonoSums sums_;
  std::optional<double> channel_lost_s_;
};

}  // namespace whinchat::audio
