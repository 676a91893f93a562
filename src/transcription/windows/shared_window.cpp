#include "transcription/windows/shared_window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "models/whisper/dimensions.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"

namespace whinchat::transcription {
namespace {

using models::whisper::kFramesPerSecond;

constexpr int64_t kMostSpan = int64_t{300} * kFramesPerSecond;

}  // namespace

std::optional<size_t> clips_of_window(std::span<const KnownClip> known, int64_t window_frames,
                                      int64_t settled) {
  const int64_t latest_end = known.front().clip.begin + kMostSpan;
  int64_t frames = 0;
  for (size_t count = 0; count < known.size(); ++count) {
    const auto& [clip, is_closed, voice] = known[count];
    frames += clip.end - clip.begin;
    if (frames > window_frames || clip.end > latest_end) return std::max<size_t>(count, 1);
    if (!is_closed) return std::nullopt;
  }
  if (frames == window_frames || settled >= latest_end) return known.size();
  return std::nullopt;
}

}  // namespace whinchat::transcription
