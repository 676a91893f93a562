// A recording's samples as they come, and the log-mel frames of windows of them. Samples are held
// where they may still be needed. Engine thread.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/whisper/log_mel.h"
#include "transcription/windows/clips.h"

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
  // Nor anything between these clips, which ascend, and `next`.
  void keep(std::span<const Clip> clips, int64_t next);
  int64_t held_samples() const;
  // Brings the maximum up to the frames that are there, and forgets them.
  void measure();
  float maximum();

 private:
  // Samples from `begin` on.
  struct Stretch {
    int64_t begin;
    std::vector<float> samples;

    int64_t end() const { return begin + static_cast<int64_t>(samples.size()); }
  };

  using Samples = std::pair<int64_t, int64_t>;  // [begin, end)

  std::span<const float> held(int64_t begin, int64_t end) const;
  std::vector<Samples> needed_samples(std::span<const Clip> clips, int64_t next) const;
  std::vector<float> signal_of(int64_t begin, int64_t frames) const;
  void measure_up_to(int64_t frame);

  const models::whisper::LogMelSpectrogram* log_mel_;
  std::optional<float> known_maximum_;
  float maximum_;
  int64_t measured_ = 0;                   // frames in maximum_
  std::vector<Stretch> held_ = {{0, {}}};  // in order, apart; the last one grows
  int64_t end_ = 0;
  bool is_finished_ = false;
  std::optional<mlx::core::array> whole_;
};

}  // namespace whinchat::transcription
