// Mono f32 samples at 16 kHz, or another rate, from any file, pipe or standard input, streamed.
// What the file is, is read from its content, never from its name. Errors name the file: NotFound
// (missing), BadInput (a directory, empty, no recording, no sound, no such channel), Corrupt
// (damaged before its first sample), Unsupported (codec, rate). Damage after the first sample ends
// or thins the stream and is told in `warnings`. One thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "audio/byte_source.h"

namespace whinchat::audio {

constexpr int kSampleRate = 16000;

class AudioSource {
 public:
  AudioSource() = default;
  AudioSource(const AudioSource&) = delete;
  AudioSource& operator=(const AudioSource&) = delete;
  virtual ~AudioSource() = default;

  // Fills `samples`; fewer, at least one, near the end; 0 at the end.
  virtual size_t read(std::span<float> samples) = 0;
  // What the container claims, or estimates from its bit rate; unset where it does not know.
  virtual std::optional<double> duration_s() const { return std::nullopt; }
  virtual int channels() const { return 1; }
  // What went wrong so far, one sentence each; complete once `read` gave 0.
  virtual std::vector<std::string> warnings() const { return {}; }
};

struct OpenOptions {
  // The one channel to hear, counted from 1 (left); unset: all channels, averaged.
  std::optional<int> channel;
  int rate_hz = kSampleRate;  // of the samples that are read
  // Ends the wait for a pipe's next bytes: what follows is then the end.
  std::stop_token stop;
};

// "-" is standard input. The first samples are decoded here, so that a file without any throws
// here.
std::unique_ptr<AudioSource> open_audio(const std::filesystem::path& path,
                                        const OpenOptions& options = {});
std::unique_ptr<AudioSource> open_audio(ByteSource bytes, const OpenOptions& options = {});

// Whether `open_audio(path)` can be called again for the same samples: a regular file, or standard
// input that is one.
bool can_open_again(const std::filesystem::path& path);

// The next `most` samples; fewer at the end, or where a stop is requested before there are as many.
std::vector<float> read_piece(AudioSource& source, size_t most, const std::stop_token& stop = {});

// Up to the end, or to a stop.
std::vector<float> read_all(AudioSource& source, const std::stop_token& stop = {});

}  // namespace whinchat::audio
