#include "audio/audio_source.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <system_error>
#include <utility>
#include <vector>

#include "audio/byte_source.h"
#include "audio/container.h"
#include "audio/wav.h"
#include "audio/wav_header.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {

std::unique_ptr<AudioSource> open_audio(const std::filesystem::path& path,
                                        const OpenOptions& options) {
  return open_audio(ByteSource::open(path, options.stop), options);
}

std::unique_ptr<AudioSource> open_audio(ByteSource bytes, const OpenOptions& options) {
  std::array<std::byte, 12> start{};
  const size_t count = bytes.peek(start);
  if (count == 0) base::fail(ErrorKind::BadInput, "{} is empty", bytes.name());
  if (is_wav(std::span(start).first(count))) {
    if (const auto header = read_wav_header(bytes)) {
      return open_wav(std::move(bytes), *header, options);
    }
    if (!bytes.rewind()) {
      base::fail(
          ErrorKind::Unsupported,
          "{} is a compressed WAV file with a very long header, which cannot be read through "
          "a pipe",
          bytes.name());
    }
  }
  return open_container(std::move(bytes), options);
}

bool can_open_again(const std::filesystem::path& path) {
  if (path == "-") return ByteSource::open(path).is_seekable();
  std::error_code ignored;  // opening reports what is wrong
  return std::filesystem::is_regular_file(path, ignored);
}

std::vector<float> read_piece(AudioSource& source, size_t most, const std::stop_token& stop) {
  std::vector<float> piece(most);
  size_t filled = 0;
  while (filled < most && !stop.stop_requested()) {
    const size_t count = source.read(std::span(piece).subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  piece.resize(filled);
  return piece;
}

std::vector<float> read_all(AudioSource& source, const std::stop_token& stop) {
  constexpr size_t kPieceSamples = 65536;
  std::vector<float> samples;
  while (true) {
    const std::vector<float> piece = read_piece(source, kPieceSamples, stop);
    if (piece.empty()) return samples;
    samples.insert(samples.end(), piece.begin(), piece.end());
  }
}

}  // namespace whinchat::audio
