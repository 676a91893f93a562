// Blocks of decoded samples in the formats that files hold, averaged into one f32 channel.
// Integers are scaled by 2^(1-bits): a 16-bit sample x is exactly x / 32768. Floats are kept as
// they are, over full scale too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace whinchat::audio {

// Little-endian as in files; U8 is centred on 128.
enum class SampleFormat { U8, S16, S24, S32, S64, F32, F64 };

size_t sample_bytes(SampleFormat format);

struct PcmBlock {
  SampleFormat format = SampleFormat::S16;
  size_t frames = 0;
  // First sample of each channel; may sit on any address.
  std::vector<const std::byte*> channels;
  // From one sample of a channel to its next.
  size_t stride_bytes = 0;
};

PcmBlock interleaved_block(SampleFormat format, size_t channels, std::span<const std::byte> bytes);

// What averaging met, summed over frames.
struct MonoSums {
  uint64_t non_finite = 0;     // NaN and infinite samples, which became 0
  double power = 0;            // of the mean
  double unrelated_power = 0;  // what the mean of unrelated channels as loud as these would have
};

// Appends the mean of all channels, or the one with number `channel` (the first is 1; one that the
// block lacks is silence), and adds to `sums`.
void append_mono(const PcmBlock& block, std::optional<int> channel, std::vector<float>& out,
                 MonoSums& sums);

// Sets NaN and infinite values to 0. Returns how many there were.
uint64_t silence_non_finite(std::span<float> samples);

}  // namespace whinchat::audio
