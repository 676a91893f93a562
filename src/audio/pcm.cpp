#include "audio/pcm.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.h"

namespace whinchat::audio {
namespace {

struct Int24 {
  std::array<uint8_t, 3> bytes;
};

// In double, so that a mean of channels is rounded to float once.
template <typename T>
double to_unit(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    return (static_cast<double>(value) - 128) / 128;
  } else if constexpr (std::is_same_v<T, Int24>) {
    const auto [low, middle, high] = value.bytes;
    const uint32_t shifted =
        (uint32_t{low} << 8U) | (uint32_t{middle} << 16U) | (uint32_t{high} << 24U);
    return static_cast<double>(static_cast<int32_t>(shifted)) / 2147483648.0;
  } else {
    constexpr double kFullScale = -static_cast<double>(std::numeric_limits<T>::min());
    return static_cast<double>(value) / kFullScale;
  }
}

template <typename T>
double finite_sample(const std::byte* source, uint64_t& non_finite) {
  const double value = to_unit(base::load_unaligned<T>(source));
  if constexpr (std::is_floating_point_v<T>) {
    // A double over float's range would become infinite.
    if (!std::isfinite(static_cast<float>(value))) {
      ++non_finite;
      return 0;
    }
  }
  return value;
}

template <typename T>
void append_mean(const PcmBlock& block, std::span<const std::byte* const> channels,
                 std::vector<float>& out, MonoSums& sums) {
  const auto count = static_cast<double>(channels.size());
  double power = 0;
  double channel_power = 0;
  for (size_t frame = 0; frame < block.frames; ++frame) {
    double sum = 0;
    for (const std::byte* channel : channels) {
      const double value = finite_sample<T>(channel + frame * block.stride_bytes, sums.non_finite);
      sum += value;
      channel_power += value * value;
    }
    power += (sum / count) * (sum / count);
    out.push_back(static_cast<float>(sum / count));
  }
  sums.power += power;
  sums.unrelated_power += channel_power / (count * count);
}

void append_mean_of(const PcmBlock& block, std::span<const std::byte* const> channels,
                    std::vector<float>& out, MonoSums& sums) {
  switch (block.format) {
    case SampleFormat::U8:
      return append_mean<uint8_t>(block, channels, out, sums);
    case SampleFormat::S16:
      return append_mean<int16_t>(block, channels, out, sums);
    case SampleFormat::S24:
      return append_mean<Int24>(block, channels, out, sums);
    case SampleFormat::S32:
      return append_mean<int32_t>(block, channels, out, sums);
    case SampleFormat::S64:
      return append_mean<int64_t>(block, channels, out, sums);
    case SampleFormat::F32:
      return append_mean<float>(block, channels, out, sums);
    case SampleFormat::F64:
      return append_mean<double>(block, channels, out, sums);
  }
}

}  // namespace

size_t sample_bytes(SampleFormat format) {
  switch (format) {
    case SampleFormat::U8:
      return 1;
    case SampleFormat::S16:
      return 2;
    case SampleFormat::S24:
      return 3;
    case SampleFormat::S32:
    case SampleFormat::F32:
      return 4;
    case SampleFormat::S64:
    case SampleFormat::F64:
      return 8;
  }
  return 0;
}

PcmBlock interleaved_block(SampleFormat format, size_t channels, std::span<const std::byte> bytes) {
  PcmBlock block;
  block.format = format;
  block.stride_bytes = channels * sample_bytes(format);
  block.frames = bytes.size() / block.stride_bytes;
  for (size_t channel = 0; channel < channels; ++channel) {
    block.channels.push_back(bytes.data() + channel * sample_bytes(format));
  }
  return block;
}

void append_mono(const PcmBlock& block, std::optional<int> channel, std::vector<float>& out,
                 MonoSums& sums) {
  std::span<const std::byte* const> channels = block.channels;
  if (channel) {
    const auto index = static_cast<size_t>(*channel - 1);
    if (*channel < 1 || index >= channels.size()) {
      out.insert(out.end(), block.frames, 0.0F);
      return;
    }
    channels = channels.subspan(index, 1);
  }
  out.reserve(out.size() + block.frames);
  append_mean_of(block, channels, out, sums);
}

uint64_t silence_non_finite(std::span<float> samples) {
  uint64_t count = 0;
  for (float& sample : samples) {
    if (std::isfinite(sample)) continue;
    sample = 0;
    ++count;
  }
  return count;
}

}  // namespace whinchat::audio
