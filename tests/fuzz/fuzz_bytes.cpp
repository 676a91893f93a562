#include "fuzz_bytes.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "audio/audio_source.h"
#include "audio/byte_source.h"

namespace whinchat::fuzz {
namespace {

constexpr size_t kMostSamples = size_t{300} * audio::kSampleRate;

}  // namespace

audio::ByteSource file_of(std::span<const uint8_t> bytes) {
  FILE* file = ::tmpfile();
  if (file == nullptr) std::abort();
  const int descriptor = ::dup(::fileno(file));
  ::fclose(file);
  const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), 0);
  if (count != static_cast<ssize_t>(bytes.size())) std::abort();
  return audio::ByteSource::from_descriptor(descriptor, "file");
}

audio::ByteSource pipe_of(std::span<const uint8_t> bytes) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) std::abort();
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  static_cast<void>(::write(ends[1], bytes.data(), bytes.size()));
  ::close(ends[1]);
  return audio::ByteSource::from_descriptor(ends[0], "pipe");
}

std::vector<float> read_some(audio::AudioSource& source) {
  std::vector<float> samples;
  std::vector<float> piece(4096);
  while (samples.size() < kMostSamples) {
    const size_t count = source.read(piece);
    if (count == 0) break;
    for (const float sample : std::span(piece).first(count)) {
      if (!std::isfinite(sample)) std::abort();
      samples.push_back(sample);
    }
  }
  return samples;
}

}  // namespace whinchat::fuzz
