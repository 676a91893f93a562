// The last step before a window's segments are given out: times that a reader can rely on. What
// decides where the next window begins, and what is compared with the oracle, lies before it.
#pragma once

#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {

// Brings the segments' times into the part of the recording that `window` has done with, up to the
// next seek point: in order, each one starting before its end and not before the end of the one
// before it. Times that are so already, to a microsecond, stay the same in every bit.
void fit_times(WindowSegments& segments, const Window& window);

}  // namespace whinchat::transcription
