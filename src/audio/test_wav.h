// For tests: WAV files put together chunk by chunk, right or wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whinchat::audio {

// The value's bytes, little-endian.
template <typename T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <typename T>
std::string bytes_of_all(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

struct WavFormat {
  uint16_t tag = 1;
  uint16_t channels = 1;
  uint32_t rate_hz = 16000;
  uint16_t bits = 16;
  std::optional<uint16_t> frame_bytes;  // else it follows
};

// 16 bytes.
std::string format_body(const WavFormat& format);
// 40 bytes: WAVE_FORMAT_EXTENSIBLE around `format`.
std::string extensible_body(const WavFormat& format, uint16_t valid_bits);
// Id, size (of the body, unless given), body, padding byte.
std::string chunk(const std::string& id, const std::string& body,
                  std::optional<uint32_t> size = std::nullopt);
// "RIFF" or the like, size, "WAVE", content.
std::string riff(const std::string& content, std::optional<uint32_t> size = std::nullopt,
                 const std::string& id = "RIFF");
// A plain file.
std::string wav(const WavFormat& format, const std::string& data);
std::string wav16(const std::vector<int16_t>& samples, uint16_t channels = 1,
                  uint32_t rate_hz = 16000);

}  // namespace whinchat::audio
