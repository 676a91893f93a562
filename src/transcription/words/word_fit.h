// The last step before a window's words are given out: times that a reader can rely on. What is
// compared with the oracle lies before it.
#pragma once

#include "transcription/windows/window_segments.h"

namespace whinchat::transcription {

// Brings words into the part of the recording that `window` has done with, up to the next seek
// point: each takes 20 ms at least, or its share where there is less room, and none begins before
// the one before it ends. They move as little as that takes; their segments stretch around them.
// Segments without tokens lose their words.
void fit_words(WindowSegments& segments, const Window& window);

}  // namespace whinchat::transcription
