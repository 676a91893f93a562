// For tests: recordings in real containers, written by FFmpeg's own encoders.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace whinchat::audio {

struct EncodeOptions {
  std::string container;  // FFmpeg's short name
  std::string codec;
  int rate_hz = 16000;
  int channels = 1;
  int bit_rate = 64000;
  std::string muxer_options;  // "movflags=+faststart"
};

// `samples` are interleaved. Unset: this machine's FFmpeg lacks the encoder.
std::optional<std::string> encode(const EncodeOptions& options, const std::vector<float>& samples);

// Black pictures, with `sound` of `samples` unless these are empty.
std::string encode_video(double seconds, const std::vector<float>& samples,
                         const EncodeOptions& sound = {.container = "matroska", .codec = "flac"});

}  // namespace whinchat::audio
