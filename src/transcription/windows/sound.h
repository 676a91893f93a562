// A recording's samples as they come, and the log-mel frames of windows of them. Samples are held
// from where they may still be needed. Engine thread.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/whisper/log_mel.h"

namespace whinchat::transcription {

class Sound {
 public:
  // `maximum`: the greatest log power of the whole recording, to which frames are clamped; unset:
  // that of its frames up to each window's end. `log_mel` outlives this.
  explicit Sound(const models::whisper::LogMelSpectrogram& log_mel,
                 std::optional<float> maximum = {});

  // Of a recording that is there as a whole.
  static Sound whole(const models::whisper::LogMelSpectrogram& log_mel,
                     std::span<const float> samples);

  void push(std::span<const float> samples);  // 16 kHz mono
  void finish();                              // nothing comes after it

  bool is_finished() const { return is_finished_; }
  int64_t samples() const { return end_; }  // so far
  // Frames of 10 ms that can be asked for by now. By the oracle's graph there are none before the
  // end: its bits depend on what is computed at once.
  int64_t frames() const;

  // [frames, n_mels] f32, lazy.
  mlx::core::array mel(int64_t begin, int frames);
  // Whether the frames hold nothing but zeros.
  bool is_digital_silence(int64_t begin, int64_t frames) const;

  void forget_before(int64_t frame);  // nothing before it is asked for any more
  // Brings the maximum up to the frames that are there, and forgets them.
  void measure();
  float maximum();

 private:
  float at(int64_t sample) const;
  std::vector<float> signal_of(int64_t begin, int64_t frames) const;
  void measure_up_to(int64_t frame);

  const models::whisper::LogMelSpectrogram* log_mel_;
  std::optional<float> known_maximum_;
  float maximum_;
  int64_t measured_ = 0;        // frames in maximum_
  std::vector<float> samples_;  // [begin_, end_)
  int64_t begin_ = 0, end_ = 0;
  bool is_finished_ = false;
  std::optional<mlx::core::array> whole_;
};

}  // namespace whinchat::transcription
