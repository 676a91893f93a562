// A fuzz target's bytes as a file in memory or through a pipe, and the sound of either.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"

namespace whinchat::fuzz {

audio::ByteSource file_of(std::span<const uint8_t> bytes);
// What the pipe cannot hold (64 KiB) is left out.
audio::ByteSource pipe_of(std::span<const uint8_t> bytes);

// All samples, but of long recordings the first minutes only: a few bytes of silence can hold
// hours. Aborts on a sample that is not finite.
std::vector<float> read_some(audio::AudioSource& source);

}  // namespace whinchat::fuzz
