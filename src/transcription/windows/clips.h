// The parts of a recording that are transcribed (openai-whisper's clip_timestamps).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace whinchat::transcription {

struct Clip {
  int64_t begin, end;  // frames of 10 ms; the end is exclusive

  bool operator==(const Clip&) const = default;
};

// Seconds: a start and an end in turns; a last start without an end goes on to the end of the
// recording, as all of it does where there are none.
// Throws Error{BadInput} for times that are negative or do not ascend.
void check_clip_timestamps(std::span<const double> timestamps);

// What of the clips lies in a recording of so many frames, in order; empty clips are left out.
std::vector<Clip> make_clips(std::span<const double> timestamps, int64_t content_frames);

int64_t frames_of(std::span<const Clip> clips);

// Windows of so many frames, one behind the other inside of the clip.
std::vector<Clip> windows_of(const Clip& clip, int64_t window_frames);

}  // namespace whinchat::transcription
