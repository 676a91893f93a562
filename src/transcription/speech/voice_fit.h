// Times at the ends of speech: where it begins and ends is better known from the sound than from
// what the decoder looked at. Without a model.
#pragma once

#include <cstdint>

#include "transcription/windows/clips.h"
#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {

// Nothing that was said, and no word of it, begins before `voice` does; what ends within half a
// second of where it ends ends there, if it is the last of the clip, which ends at frame
// `clip_end`. Times have been fitted already (word_fit.h, segment_times.h) and keep their order.
void fit_to_voice(WindowSegments& segments, int64_t clip_end, const Clip& voice);

}  // namespace whinchat::transcription
