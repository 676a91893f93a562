// A recording's windows, encoded once each: a window that was looked at ahead of the loop, and one
// that is decoded again, cost no second pass of the encoder. Engine thread.
#pragma once

#include <mlx/array.h>

#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/sound.h"

namespace whinchat::transcription {

class WindowFeatures {
 public:
  // Windows of so many frames, at most 3000 and even. `model` and `sound` outlive this.
  WindowFeatures(const models::whisper::Whisper& model, Sound& sound, int window_frames);

  int window_frames() const { return window_frames_; }
  int frames_of(const Clip& rest) const;  // of the window at its beginning

  // `frames` frames from `seek` on, filled up to a window, encoded: keys and values of every
  // decoder layer. Those of the last window asked for are kept, of others the smaller features.
  const std::vector<ops::KeyValue>& cross(int64_t seek, int frames);
  // The same of several clips as one window, one behind the other.
  const std::vector<ops::KeyValue>& cross(std::span<const Clip> clips);

  void forget_before(int64_t seek);

 private:
  struct Window {
    std::vector<Clip> clips;
    mlx::core::array features;
  };

  mlx::core::array encode(std::span<const Clip> clips);
  const Window& encoded(std::span<const Clip> clips);

  const models::whisper::Whisper& model_;
  Sound& sound_;
  int window_frames_;
  std::list<Window> windows_;
  const Window* last_ = nullptr;  // whose cross_ it is
  std::vector<ops::KeyValue> cross_;
};

}  // namespace whinchat::transcription
