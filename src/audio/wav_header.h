// The header of a WAV file (RIFF, RF64, BW64): chunks up to the first byte of sound.
// Unknown chunks, odd lengths, streamed and wrapped sizes are taken as real files have them.
// Throws Error{Corrupt} for a header that ends early or contradicts itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "audio/byte_source.h"
#include "audio/pcm.h"

namespace whinchat::audio {

struct WavHeader {
  SampleFormat format = SampleFormat::S16;
  size_t channels = 1;
  int rate_hz = 0;
  // Of the sound; unset where the file was streamed: read to the end of the data.
  std::optional<uint64_t> data_bytes;

  size_t frame_bytes() const { return channels * sample_bytes(format); }
};

// `start` is the first 12 bytes.
bool is_wav(std::span<const std::byte> start);

// Leaves `bytes` at the first sample. Unset: the sound is coded in a way that is not plain PCM or
// float, and `bytes` is somewhere in the header.
std::optional<WavHeader> read_wav_header(ByteSource& bytes);

}  // namespace whinchat::audio
