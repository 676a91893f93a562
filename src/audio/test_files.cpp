#include "audio/test_files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"
#include "whinchat/error.h"

namespace whinchat::audio {

TempFile::TempFile(const std::string& name, std::string_view bytes)
    : path_(std::filesystem::path(testing::TempDir()) /
            ("whinchat_" + std::to_string(::getpid()) + "_" + name)) {
  std::ofstream(path_, std::ios::binary) << bytes;
}

TempFile::~TempFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

TempPipe::TempPipe(std::string bytes) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) ADD_FAILURE() << "no pipe";
  ::signal(SIGPIPE, SIG_IGN);
  reading_end_ = ends[0];
  writer_ = std::jthread([writing_end = ends[1], bytes = std::move(bytes)] {
    size_t done = 0;
    while (done < bytes.size()) {
      // Odd pieces, as a network gives them.
      const size_t piece = std::min<size_t>(bytes.size() - done, 1777);
      const ssize_t count = ::write(writing_end, bytes.data() + done, piece);
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
    ::close(writing_end);
  });
}

TempPipe::~TempPipe() {
  if (reading_end_ >= 0) ::close(reading_end_);
}

ByteSource TempPipe::source() {
  return ByteSource::from_descriptor(std::exchange(reading_end_, -1), "the pipe");
}

Recording read_recording(AudioSource& source) {
  Recording recording;
  recording.duration_s = source.duration_s();
  recording.samples = read_all(source);
  recording.warnings = source.warnings();
  return recording;
}

Recording read_file(const std::filesystem::path& path, const OpenOptions& options) {
  return read_recording(*open_audio(path, options));
}

Recording read_piped(const std::string& bytes, const OpenOptions& options) {
  TempPipe pipe(bytes);
  const std::unique_ptr<AudioSource> source = open_audio(pipe.source(), options);
  return read_recording(*source);
}

Recording read_both_ways(const std::string& bytes, const OpenOptions& options) {
  const TempFile file("both_ways", bytes);
  Recording recording = read_file(file.path(), options);
  const Recording piped = read_piped(bytes, options);
  EXPECT_EQ(recording.samples, piped.samples);
  EXPECT_EQ(recording.warnings, piped.warnings);
  return recording;
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::filesystem::path> speech_file(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(WHINCHAT_SPEECH_FOLDER) / name;
  return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an error";
  return {ErrorKind::Internal, "none"};
}

Error error_of_bytes(const std::string& bytes, const OpenOptions& options) {
  const TempFile file("bad_bytes", bytes);
  return error_of([&] { read_file(file.path(), options); });
}

double largest_difference(const std::vector<float>& left, const std::vector<float>& right) {
  double largest = 0;
  for (size_t index = 0; index < std::min(left.size(), right.size()); ++index) {
    largest = std::max(largest, std::abs(static_cast<double>(left[index]) - right[index]));
  }
  return largest;
}

double snr_db(const std::vector<float>& signal, const std::vector<float>& expected, size_t edge) {
  double power = 0;
  double noise = 0;
  const size_t end = std::min(signal.size(), expected.size());
  for (size_t index = edge; index + edge < end; ++index) {
    const double difference = static_cast<double>(signal[index]) - expected[index];
    power += static_cast<double>(expected[index]) * expected[index];
    noise += difference * difference;
  }
  return power == 0 ? 0 : 10 * std::log10(power / (noise + 1e-30));
}

std::vector<float> sine(double frequency_hz, double rate_hz, size_t samples) {
  std::vector<float> result(samples);
  for (size_t index = 0; index < samples; ++index) {
    const double turns = frequency_hz * static_cast<double>(index) / rate_hz;
    result[index] = static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * turns));
  }
  return result;
}

}  // namespace whinchat::audio
