// For tests: bytes as a file or through a pipe, and what went wrong with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "whinchat/error.h"

namespace whinchat::audio {

// A file in the test's folder, removed with the object.
class TempFile {
 public:
  // `name` has no folder; it ends in what the content is, or lies about it.
  TempFile(const std::string& name, std::string_view bytes);
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A pipe that another thread feeds with `bytes`.
class TempPipe {
 public:
  explicit TempPipe(std::string bytes);
  TempPipe(const TempPipe&) = delete;
  TempPipe& operator=(const TempPipe&) = delete;
  ~TempPipe();

  // The reading end; call once.
  ByteSource source();

 private:
  int reading_end_ = -1;
  std::jthread writer_;
};

struct Recording {
  std::vector<float> samples;
  std::optional<double> duration_s;
  std::vector<std::string> warnings;
};

Recording read_recording(AudioSource& source);
Recording read_file(const std::filesystem::path& path, const OpenOptions& options = {});
Recording read_piped(const std::string& bytes, const OpenOptions& options = {});
// As a file; also through a pipe, which must give the same samples and warnings.
Recording read_both_ways(const std::string& bytes, const OpenOptions& options = {});

std::string read_bytes(const std::filesystem::path& path);

// The whole content of the folder of real speech, or nothing: then the test skips.
std::optional<std::filesystem::path> speech_file(const std::string& name);

// The error that `action` throws; without one the test fails.
Error error_of(const std::function<void()>& action);
Error error_of_bytes(const std::string& bytes, const OpenOptions& options = {});

// Largest difference between two signals over the shorter one's length.
double largest_difference(const std::vector<float>& left, const std::vector<float>& right);
// Signal over noise in dB, leaving `edge` samples at both ends out.
double snr_db(const std::vector<float>& signal, const std::vector<float>& expected, size_t edge);
// Amplitude 0.5; the first sample is 0.
std::vector<float> sine(double frequency_hz, double rate_hz, size_t samples);

}  // namespace whinchat::audio
