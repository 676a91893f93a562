#include "transcription/windows/clips.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "models/whisper/dimensions.h"

namespace whinchat::transcription {

void check_clip_timestamps(std::span<const double> timestamps) {
  for (size_t i = 0; i < timestamps.size(); ++i) {
    const double time = timestamps[i];
    if (!(time >= 0) || !std::isfinite(time)) {
      base::fail(ErrorKind::BadInput, "clip-timestamps: expected seconds from 0 on, got {}", time);
    }
    if (i == 0) continue;
    // A clip may begin where the one before it ends.
    const bool is_end = i % 2 == 1;
    const double before = timestamps[i - 1];
    if (time < before || (is_end && time == before)) {
      base::fail(ErrorKind::BadInput,
                 "clip-timestamps: expected times that ascend, got {} after {}", time, before);
    }
  }
}

std::vector<Clip> make_clips(std::span<const double> timestamps, int64_t content_frames) {
  const auto frame_of = [&](size_t i) {
    if (i >= timestamps.size()) return content_frames;
    // As Python rounds: halves to the even side.
    const double frame = std::nearbyint(timestamps[i] * models::whisper::kFramesPerSecond);
    return frame < static_cast<double>(content_frames) ? static_cast<int64_t>(frame)
                                                       : content_frames;
  };
  if (timestamps.empty()) return {{0, content_frames}};
  std::vector<Clip> clips;
  for (size_t i = 0; i < timestamps.size(); i += 2) {
    const Clip clip{frame_of(i), frame_of(i + 1)};
    if (clip.begin < clip.end) clips.push_back(clip);
  }
  return clips;
}

int64_t frames_of(std::span<const Clip> clips) {
  int64_t frames = 0;
  for (const Clip& clip : clips) frames += clip.end - clip.begin;
  return frames;
}

std::vector<Clip> windows_of(const Clip& clip, int64_t window_frames) {
  std::vector<Clip> windows;
  for (int64_t begin = clip.begin; begin < clip.end; begin += window_frames) {
    windows.push_back({begin, std::min(begin + window_frames, clip.end)});
  }
  return windows;
}

}  // namespace whinchat::transcription
