// Times at the ends of speech: where it begins and ends is better known from the sound than from
// what the decoder looked at. Without a model.
#pragma once

#include <cstdint>

#include "transcription/windows/clips.h"
#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {

// Nothing that was said in a window of `clip`, and no word of it, begins before `voice` does. What
// begins or ends within half a second of where the voice does begins or ends there, if it is the
// first or the last of the clip: a clip that goes on with a window begins with its voice. Times
// have been fitted already (word_fit.h, segment_times.h) and keep their order.
void fit_to_voice(WindowSegments& window, const Clip& clip, const Clip& voice);

}  // namespace whinchat::transcription
