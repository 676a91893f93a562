// Speech as the clips of a recording that are heard.
#pragma once

#include <cstdint>

#include "transcription/speech/speech_finder.h"
#include "transcription/windows/clip_queue.h"

namespace whinchat::transcription {

// Tells `clips` what `finder`, of 16 kHz, has found since it was asked last.
void tell_speech(SpeechFinder& finder, ClipQueue& clips);

// No speech that is told later begins before this frame.
int64_t settled_frame(const SpeechFinder& finder);

}  // namespace whinchat::transcription
