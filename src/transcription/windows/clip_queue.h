// The clips of a recording that is still being heard: those that were asked for, where they are
// audible, in order. Their ends may not be known yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "transcription/windows/clips.h"

namespace whinchat::transcription {

struct KnownClip {
  Clip clip;
  bool is_closed;  // else it goes on at least to its end
  Clip voice;      // of that, where somebody speaks: without the padding around speech
};

class ClipQueue {
 public:
  // clip_timestamps.
  explicit ClipQueue(std::span<const double> timestamps);

  // What is audible, as a clip without regard to those that were asked for: the last stretch that
  // was told grows, or is closed and another one begins.
  void hear(const KnownClip& stretch);

  // In order, what is known and not done, and where somebody may speak.
  std::vector<KnownClip> known() const;
  std::optional<KnownClip> front() const;
  void finish_before(int64_t frame);  // what lies before it is done
  // Whether all that was asked for is done: nothing that is heard later matters.
  bool is_done() const;

  // Whether no clip that begins at `frame` or behind it was asked for.
  bool is_all_before(int64_t frame) const;
  // How many frames before `frame` were asked for.
  int64_t asked_frames(int64_t frame) const;

 private:
  std::vector<Clip> asked_;
  std::deque<KnownClip> audible_;
  int64_t done_ = 0;  // frames before it are done
};

}  // namespace whinchat::transcription
