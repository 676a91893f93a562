#include "transcription/windows/segment_times.h"

#include <algorithm>

#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {
namespace {

constexpr double kTimestampStep = 0.02;
constexpr double kRounding = 1e-6;

double clamped(double time, double least, double most) {
  if (time < least - kRounding) return least;
  return time > most + kRounding ? most : time;
}

}  // namespace

void fit_times(WindowSegments& segments, const Window& window) {
  double begin_s = seconds_at(window.seek);
  const double end_s =
      seconds_at(std::min(window.seek + window.segment_frames, segments.next_seek));
  const auto count = static_cast<double>(segments.segments.size());
  const double shortest = std::min(kTimestampStep, (end_s - begin_s) / count);
  double latest_end = end_s - shortest * count;  // leaves room for those behind
  for (TokenSegment& segment : segments.segments) {
    latest_end += shortest;
    segment.start_s = clamped(segment.start_s, begin_s, latest_end - shortest);
    segment.end_s = clamped(segment.end_s, segment.start_s + shortest, latest_end);
    begin_s = segment.end_s;
  }
}

}  // namespace whinchat::transcription
