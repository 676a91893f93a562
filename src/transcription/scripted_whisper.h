// A tiny multilingual Whisper that says what a test wants, whatever it hears: its choice depends on
// the position in the decoder's context alone, and so on the length of the prompt.
#pragma once

#include <cstdint>
#include <vector>

#include "models/whisper/whisper.h"
#include "ops/runtime.h"

namespace whinchat::transcription {

// next[i] is chosen behind position i; the end of text behind all others. At most 60 different
// tokens. Without a prompt, the start of the transcript takes positions 0, 1 and 2.
models::whisper::Whisper scripted_whisper(const std::vector<int32_t>& next,
                                          const ops::Runtime& runtime = {});

}  // namespace whinchat::transcription
