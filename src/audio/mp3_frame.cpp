#include "audio/mp3_frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace whinchat::audio {
namespace {

constexpr uint32_t kLayer3 = 1;
constexpr uint32_t kMpeg1 = 3;
constexpr uint32_t kReservedVersion = 1;
constexpr std::array<uint32_t, 16> kMpeg1Kbps{0,   32,  40,  48,  56,  64,  80,  96,
                                              112, 128, 160, 192, 224, 256, 320, 0};
constexpr std::array<uint32_t, 16> kMpeg2Kbps{0,  8,  16, 24,  32,  40,  48,  56,
                                              64, 80, 96, 112, 128, 144, 160, 0};
constexpr std::array<uint32_t, 4> kMpeg1Hz{44100, 48000, 32000, 0};

// 0 for what is no layer III header with a known bit rate.
uint32_t frame_bytes(uint32_t header) {
  const uint32_t version = (header >> 19U) & 3U;
  const bool is_sync = (header >> 21U) == 0x7FF;
  if (!is_sync || version == kReservedVersion || ((header >> 17U) & 3U) != kLayer3) return 0;
  const uint32_t kbps = (version == kMpeg1 ? kMpeg1Kbps : kMpeg2Kbps)[(header >> 12U) & 15U];
  const uint32_t divisor = version == kMpeg1 ? 1 : (version == 2 ? 2 : 4);
  const uint32_t rate_hz = kMpeg1Hz[(header >> 10U) & 3U] / divisor;
  if (kbps == 0 || rate_hz == 0) return 0;
  const uint32_t bytes_per_bit_rate = version == kMpeg1 ? 144 : 72;  // samples of a frame over 8
  return bytes_per_bit_rate * kbps * 1000 / rate_hz + ((header >> 9U) & 1U);
}

}  // namespace

bool is_cut_mp3_frame(std::span<const std::byte> frame) {
  if (frame.size() < 4) return false;
  uint32_t header = 0;
  for (const std::byte byte : frame.first(4))
    header = (header << 8U) | std::to_integer<uint32_t>(byte);
  return frame.size() < frame_bytes(header);
}

}  // namespace whinchat::audio
