// Speech as the clips of a recording that are heard.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/vad/silero_vad.h"
#include "transcription/speech/speech_finder.h"
#include "transcription/windows/clip_queue.h"
#include "transcription/windows/clips.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {

// Tells `clips` what `finder`, of 16 kHz, has found since it was asked last.
void tell_speech(SpeechFinder& finder, ClipQueue& clips);

// No speech that is told later begins before this frame.
int64_t settled_frame(const SpeechFinder& finder);

// The clips that the options ask for in a whole recording, 16 kHz mono; where `vad` is not null,
// their speech. Engine thread.
std::vector<Clip> heard_clips(const std::shared_ptr<const models::vad::SileroVad>& vad,
                              const TranscribeOptions& options, std::span<const float> samples);

}  // namespace whinchat::transcription
