#include "audio/wav_header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/byte_source.h"
#include "audio/pcm.h"
#include "base/bytes.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

using base::as_text;
using base::ByteReader;

constexpr uint32_t kUnknownSize = 0xFFFFFFFF;
// Programs that write to a pipe put 0x7FFFF000 or the like where the size belongs.
constexpr uint64_t kStreamedSize = 0x7FFF0000;

constexpr uint16_t kPcm = 1;
constexpr uint16_t kFloat = 3;
constexpr uint16_t kExtensible = 0xFFFE;
// What follows the 2-byte format tag in the sub-format's GUID: Microsoft's, and ambisonic B-format.
constexpr std::string_view kSubFormat("\0\0\0\0\x10\0\x80\0\0\xAA\0\x38\x9B\x71", 14);
constexpr std::string_view kAmbisonic("\0\0\x21\x07\xD3\x11\x86\x44\xC8\xC1\xCA\0\0\0", 14);

struct Format {
  uint16_t tag = 0;
  uint16_t channels = 0;
  uint32_t rate_hz = 0;
  uint16_t frame_bytes = 0;
  uint16_t bits = 0;
};

class HeaderReader {
 public:
  explicit HeaderReader(ByteSource& bytes) : bytes_(bytes) {}

  std::optional<WavHeader> read();

 private:
  struct Chunk {
    std::string id;
    uint64_t size = 0;
  };

  Chunk next_chunk();
  // Up to `limit` bytes of the chunk's body; the rest of it is passed over.
  std::vector<std::byte> read_body(const Chunk& chunk, size_t limit);
  void skip_body(uint64_t count, uint64_t size);
  void read_sizes(const Chunk& chunk);
  Format read_format(const Chunk& chunk);
  std::optional<WavHeader> make_header(const Format& format) const;
  std::optional<uint64_t> data_bytes(uint64_t claimed) const;
  [[noreturn]] void fail_early() const;

  ByteSource& bytes_;
  bool has_long_sizes_ = false;  // RF64 or BW64
  uint64_t riff_size_ = 0;
  std::map<std::string, uint64_t> long_sizes_;
};

void HeaderReader::fail_early() const {
  base::fail(ErrorKind::Corrupt, "{} is a WAV file that ends inside its header", bytes_.name());
}

HeaderReader::Chunk HeaderReader::next_chunk() {
  std::array<std::byte, 8> head{};
  if (bytes_.read(head) < head.size()) fail_early();
  ByteReader reader(head, bytes_.name());
  Chunk chunk;
  chunk.id = as_text(reader.read_bytes(4));
  chunk.size = reader.read<uint32_t>();
  const auto known = long_sizes_.find(chunk.id);
  if (chunk.size == kUnknownSize && known != long_sizes_.end()) chunk.size = known->second;
  return chunk;
}

std::vector<std::byte> HeaderReader::read_body(const Chunk& chunk, size_t limit) {
  std::vector<std::byte> body(static_cast<size_t>(std::min<uint64_t>(chunk.size, limit)));
  if (bytes_.read(body) < body.size()) fail_early();
  skip_body(chunk.size - body.size(), chunk.size);
  return body;
}

// Passes over the rest of a chunk and its padding byte, which some programs forget.
void HeaderReader::skip_body(uint64_t count, uint64_t size) {
  if (bytes_.skip(count) < count) fail_early();
  if (size % 2 == 0) return;
  std::array<std::byte, 4> next{};
  const std::string_view id = as_text(std::span(next).first(bytes_.peek(next)));
  if (id != "data" && id != "fmt ") bytes_.skip(1);
}

// The chunk ds64: three 64-bit sizes, then a table of more chunks that are over 4 GB.
void HeaderReader::read_sizes(const Chunk& chunk) {
  const std::vector<std::byte> body = read_body(chunk, 65536);
  if (body.size() < 24) fail_early();
  ByteReader reader(body, bytes_.name());
  riff_size_ = reader.read<uint64_t>();
  long_sizes_["data"] = reader.read<uint64_t>();
  reader.read<uint64_t>();  // the number of frames follows from the size
  if (reader.remaining() < 4) return;
  uint64_t entries = reader.read<uint32_t>();
  for (; entries > 0 && reader.remaining() >= 12; --entries) {
    const std::string id(as_text(reader.read_bytes(4)));
    long_sizes_.emplace(id, reader.read<uint64_t>());
  }
}

Format HeaderReader::read_format(const Chunk& chunk) {
  const std::vector<std::byte> body = read_body(chunk, 40);
  if (body.size() < 14) {
    base::fail(ErrorKind::Corrupt,
               "{} is a WAV file whose format takes {} bytes; expected 16 or more", bytes_.name(),
               body.size());
  }
  ByteReader reader(body, bytes_.name());
  Format format;
  format.tag = reader.read<uint16_t>();
  format.channels = reader.read<uint16_t>();
  format.rate_hz = reader.read<uint32_t>();
  reader.read<uint32_t>();  // bytes a second follow from the rest
  format.frame_bytes = reader.read<uint16_t>();
  if (reader.remaining() >= 2) format.bits = reader.read<uint16_t>();
  if (format.tag == kExtensible && reader.remaining() >= 24) {
    reader.read_bytes(8);  // size, valid bits (samples fill their bytes from the top), channel mask
    const auto tag = reader.read<uint16_t>();
    const std::string_view rest = as_text(reader.read_bytes(14));
    if (rest == kSubFormat || rest == kAmbisonic) format.tag = tag;
  }
  return format;
}

std::optional<SampleFormat> sample_format(const Format& format) {
  if (format.tag == kFloat && format.bits == 32) return SampleFormat::F32;
  if (format.tag == kFloat && format.bits == 64) return SampleFormat::F64;
  if (format.tag != kPcm || format.bits == 0) return std::nullopt;
  constexpr std::array<std::optional<SampleFormat>, 9> kByBytes{
      std::nullopt, SampleFormat::U8, SampleFormat::S16, SampleFormat::S24, SampleFormat::S32,
      std::nullopt, std::nullopt,     std::nullopt,      SampleFormat::S64};
  const size_t bytes = (size_t{format.bits} + 7) / 8;
  return bytes < kByBytes.size() ? kByBytes[bytes] : std::nullopt;
}

std::optional<WavHeader> HeaderReader::make_header(const Format& format) const {
  const std::optional<SampleFormat> samples = sample_format(format);
  if (!samples) return std::nullopt;
  WavHeader header;
  header.format = *samples;
  header.channels = format.channels;
  header.rate_hz = static_cast<int>(std::min(format.rate_hz, uint32_t{0x7FFFFFFF}));
  if (format.channels == 0 || format.rate_hz == 0) {
    base::fail(ErrorKind::Corrupt, "{} is a WAV file that claims {}", bytes_.name(),
               format.channels == 0 ? "0 channels" : "a sample rate of 0 Hz");
  }
  if (format.frame_bytes != 0 && format.frame_bytes != header.frame_bytes()) {
    base::fail(
        ErrorKind::Corrupt,
        "{} is a WAV file that contradicts itself: {} channels of {} bits do not make frames "
        "of {} bytes",
        bytes_.name(), format.channels, format.bits, format.frame_bytes);
  }
  return header;
}

// How much sound follows, from what the header claims and what is there. Called at the first
// sample.
std::optional<uint64_t> HeaderReader::data_bytes(uint64_t claimed) const {
  const bool is_riff_streamed = riff_size_ == 0 || riff_size_ == kUnknownSize;
  const bool is_riff_just_header = riff_size_ + 8 <= bytes_.position();
  if (claimed == 0 && (is_riff_streamed || is_riff_just_header)) return std::nullopt;
  if (has_long_sizes_ && claimed != kUnknownSize) return claimed;
  if (!bytes_.size_bytes()) {
    return claimed >= kStreamedSize ? std::nullopt : std::optional(claimed);
  }
  const uint64_t present = *bytes_.size_bytes() - bytes_.position();
  if (claimed > present) return claimed >= kStreamedSize ? std::nullopt : std::optional(claimed);
  if (claimed == kUnknownSize) return std::nullopt;
  // Over 4 GB the 32-bit size has wrapped.
  return claimed + (((present - claimed) >> 32U) << 32U);
}

std::optional<WavHeader> HeaderReader::read() {
  Chunk chunk = next_chunk();
  has_long_sizes_ = chunk.id != "RIFF";
  riff_size_ = chunk.size;
  bytes_.skip(4);
  std::optional<Format> format;
  for (chunk = next_chunk(); chunk.id != "data"; chunk = next_chunk()) {
    if (chunk.id == "ds64") {
      read_sizes(chunk);
    } else if (chunk.id == "fmt ") {
      format = read_format(chunk);
    } else {
      skip_body(chunk.size, chunk.size);
    }
  }
  if (!format) {
    base::fail(ErrorKind::Corrupt, "{} is a WAV file whose sound comes before its format",
               bytes_.name());
  }
  std::optional<WavHeader> header = make_header(*format);
  if (header) header->data_bytes = data_bytes(chunk.size);
  return header;
}

}  // namespace

bool is_wav(std::span<const std::byte> start) {
  const std::string_view text = as_text(start);
  if (text.size() < 12 || text.substr(8, 4) != "WAVE") return false;
  const std::string_view kind = text.substr(0, 4);
  return kind == "RIFF" || kind == "RF64" || kind == "BW64";
}

std::optional<WavHeader> read_wav_header(ByteSource& bytes) { return HeaderReader(bytes).read(); }

}  // namespace whinchat::audio
