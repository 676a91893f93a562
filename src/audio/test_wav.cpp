#include "audio/test_wav.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whinchat::audio {

std::string format_body(const WavFormat& format) {
  const auto usual = static_cast<uint16_t>(format.channels * ((format.bits + 7) / 8));
  const uint16_t frame_bytes = format.frame_bytes.value_or(usual);
  return bytes_of(format.tag) + bytes_of(format.channels) + bytes_of(format.rate_hz) +
         bytes_of(format.rate_hz * frame_bytes) + bytes_of(frame_bytes) + bytes_of(format.bits);
}

std::string extensible_body(const WavFormat& format, uint16_t valid_bits) {
  WavFormat outer = format;
  outer.tag = 0xFFFE;
  const std::string guid("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14);
  return format_body(outer) + bytes_of<uint16_t>(22) + bytes_of(valid_bits) +
         bytes_of<uint32_t>(0) + bytes_of(format.tag) + guid;
}

std::string chunk(const std::string& id, const std::string& body, std::optional<uint32_t> size) {
  const std::string padding(body.size() % 2, '\0');
  return id + bytes_of(size.value_or(static_cast<uint32_t>(body.size()))) + body + padding;
}

std::string riff(const std::string& content, std::optional<uint32_t> size, const std::string& id) {
  return id + bytes_of(size.value_or(static_cast<uint32_t>(content.size() + 4))) + "WAVE" + content;
}

std::string wav(const WavFormat& format, const std::string& data) {
  return riff(chunk("fmt ", format_body(format)) + chunk("data", data));
}

std::string wav16(const std::vector<int16_t>& samples, uint16_t channels, uint32_t rate_hz) {
  return wav({.channels = channels, .rate_hz = rate_hz}, bytes_of_all(samples));
}

}  // namespace whinchat::audio
