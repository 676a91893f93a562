#include "transcription/windows/window_segments.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/mutation.h"

namespace whinchat::transcription {

int64_t frame_at(double time_s) { return static_cast<int64_t>(std::nearbyint(time_s * 100)); }

double seconds_at(int64_t frame) { return static_cast<double>(frame) / 100; }

WindowSegments split_window(std::span<const int32_t> tokens, int32_t timestamp_begin,
                            const Window& window) {
  const double offset_s = static_cast<double>(window.seek) * 160 / 16000;
  const double timestamp_s = window.frames_per_timestamp * 160 / 16000.0;
  const auto is_timestamp = [&](size_t i) { return tokens[i] >= timestamp_begin; };
  const auto steps = [&](size_t i) { return tokens[i] - timestamp_begin; };

  const size_t count = tokens.size();
  const bool ends_with_single_timestamp =
      count >= 2 && is_timestamp(count - 1) && !is_timestamp(count - 2);
  std::vector<size_t> ends;
  for (size_t i = 1; i < count; ++i) {
    if (is_timestamp(i - 1) && is_timestamp(i)) ends.push_back(i);
  }
  if (ends_with_single_timestamp && (window.is_cut || !ends.empty())) ends.push_back(count);

  WindowSegments result{
      {}, window.seek + window.segment_frames, ends_with_single_timestamp && !window.is_cut};
  if (ends.empty()) {
    double duration_s = window.segment_frames * 160 / 16000.0;
    for (size_t i = count; i-- > 0;) {
      if (!is_timestamp(i)) continue;
      if (steps(i) != 0) duration_s = steps(i) * timestamp_s;
      break;
    }
    result.segments.push_back({offset_s, offset_s + duration_s, {tokens.begin(), tokens.end()}});
    return result;
  }

  size_t begin = 0;
  for (const size_t end : ends) {
    const auto slice = tokens.subspan(begin, end - begin);
    result.segments.push_back({offset_s + steps(begin) * timestamp_s,
                               offset_s + steps(end - 1) * timestamp_s,
                               {slice.begin(), slice.end()}});
    begin = end;
  }
  // A single timestamp at the end means that nobody speaks after it.
  if (!ends_with_single_timestamp || window.is_cut) {
    const auto shift = static_cast<int64_t>(base::mutable_constant("seek.shift_frames", 0));
    result.next_seek =
        window.seek + static_cast<int64_t>(steps(begin - 1)) * window.frames_per_timestamp + shift;
    // Where the rules are followed, no time that ends a segment is 0: it would be decoded for ever.
    result.next_seek = std::min(result.next_seek, window.seek + window.segment_frames);
    if (result.next_seek <= window.seek) result.next_seek = window.seek + window.segment_frames;
  }
  return result;
}

void give_logprobs(std::vector<TokenSegment>& segments, std::span<const float> logprobs) {
  for (TokenSegment& segment : segments) {
    const auto own = logprobs.first(segment.tokens.size());
    segment.logprobs.assign(own.begin(), own.end());
    logprobs = logprobs.subspan(own.size());
  }
}

std::string cut_warning(std::span<const int64_t> seeks) {
  return fmt::format(
      "the text of {} {} was cut at the most tokens of a window, first at {:.1f} s: words may be "
      "missing",
      seeks.size(), seeks.size() == 1 ? "window" : "windows",
      static_cast<double>(seeks.front()) / 100);
}

}  // namespace whinchat::transcription
