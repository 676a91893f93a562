#include "transcription/windows/window_features.h"

#include <mlx/array.h>
#include <mlx/ops.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/key_value.h"
#include "transcription/windows/clips.h"
#include "transcription/windows/sound.h"

namespace whinchat::transcription {

namespace mx = mlx::core;

WindowFeatures::WindowFeatures(const models::whisper::Whisper& model, Sound& sound,
                               int window_frames)
    : model_(model), sound_(sound), window_frames_(window_frames) {}

int WindowFeatures::frames_of(const Clip& rest) const {
  return static_cast<int>(std::min<int64_t>(window_frames_, rest.end - rest.begin));
}

mx::array WindowFeatures::encode(std::span<const Clip> clips) {
  std::vector<mx::array> mels;
  for (const Clip& clip : clips) {
    mels.push_back(sound_.mel(clip.begin, static_cast<int>(clip.end - clip.begin)));
  }
  const mx::array content = mels.size() == 1 ? mels.front() : mx::concatenate(mels, 0);
  const int frames = content.shape(0);
  const int n_mels = content.shape(1);
  const mx::array window = mx::pad(content, {{0, window_frames_ - frames}, {0, 0}});
  const mx::array input =
      mx::astype(mx::reshape(window, {1, window_frames_, n_mels}), model_.dtype());
  return model_.encoder().encode(input);
}

const WindowFeatures::Window& WindowFeatures::encoded(std::span<const Clip> clips) {
  const auto is_there = [&](const Window& window) {
    return std::ranges::equal(window.clips, clips);
  };
  const auto there = std::ranges::find_if(windows_, is_there);
  if (there != windows_.end()) return *there;
  windows_.push_back({{clips.begin(), clips.end()}, encode(clips)});
  return windows_.back();
}

const std::vector<ops::KeyValue>& WindowFeatures::cross(int64_t seek, int frames) {
  const Clip window{seek, seek + frames};
  return cross(std::span(&window, 1));
}

const std::vector<ops::KeyValue>& WindowFeatures::cross(std::span<const Clip> clips) {
  const Window& window = encoded(clips);
  if (&window != last_) {
    cross_ = model_.decoder().cross(window.features);
    last_ = &window;
  }
  return cross_;
}

void WindowFeatures::forget_before(int64_t seek) {
  windows_.remove_if([&](const Window& window) {
    if (window.clips.front().begin >= seek) return false;
    if (&window == last_) {
      last_ = nullptr;
      cross_.clear();  // its memory serves the next window's encoder
    }
    return true;
  });
}

}  // namespace whinchat::transcription
