// Every audio and video container that FFmpeg's libraries read, as an AudioSource. FFmpeg's rules
// for priming and padding samples hold. What cannot be decoded is left out and told in `warnings`.
// Throws Error as demuxer.h does, and Unsupported for a codec without a decoder.
#pragma once

#include <memory>

#include "audio/audio_source.h"
#include "audio/byte_source.h"

namespace whinchat::audio {

// `bytes` stands at the file's first byte.
std::unique_ptr<AudioSource> open_container(ByteSource bytes, const OpenOptions& options);

}  // namespace whinchat::audio
