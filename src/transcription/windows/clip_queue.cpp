#include "transcription/windows/clip_queue.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "transcription/windows/clips.h"

namespace whinchat::transcription {
namespace {

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

}  // namespace

ClipQueue::ClipQueue(std::span<const double> timestamps) : asked_(make_clips(timestamps, kNoEnd)) {}

void ClipQueue::hear(const KnownClip& stretch) {
  if (!audible_.empty() && !audible_.back().is_closed) {
    audible_.back() = stretch;
  } else {
    audible_.push_back(stretch);
  }
}

std::vector<KnownClip> ClipQueue::known() const {
  std::vector<KnownClip> clips;
  for (const KnownClip& stretch : audible_) {
    for (const Clip& asked : asked_) {
      const int64_t begin = std::max({asked.begin, stretch.clip.begin, done_});
      const int64_t end = std::min(asked.end, stretch.clip.end);
      if (begin >= end) continue;
      const bool is_cut = end == asked.end;  // then somebody may speak up to its end
      const Clip voice{std::max(begin, stretch.voice.begin), is_cut ? end : stretch.voice.end};
      if (stretch.is_closed && voice.begin >= voice.end) continue;
      clips.push_back({{begin, end}, stretch.is_closed || is_cut, voice});
    }
  }
  return clips;
}

std::optional<KnownClip> ClipQueue::front() const {
  const std::vector<KnownClip> clips = known();
  if (clips.empty()) return std::nullopt;
  return clips.front();
}

void ClipQueue::finish_before(int64_t frame) {
  done_ = frame;
  while (!audible_.empty() && audible_.front().is_closed && audible_.front().clip.end <= done_) {
    audible_.pop_front();
  }
}

bool ClipQueue::is_done() const { return is_all_before(done_); }

bool ClipQueue::is_all_before(int64_t frame) const {
  return asked_.empty() || frame >= asked_.back().end;
}

int64_t ClipQueue::asked_frames(int64_t frame) const {
  int64_t frames = 0;
  for (const Clip& asked : asked_) {
    const int64_t end = std::min(asked.end, frame);
    frames += std::max<int64_t>(end - asked.begin, 0);
  }
  return frames;
}

}  // namespace whinchat::transcription
