#include "audio/ogg_tail.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "audio/byte_source.h"
#include "base/bytes.h"

namespace whinchat::audio {
namespace {

constexpr size_t kHeaderBytes = 27;
constexpr size_t kLongestPage = kHeaderBytes + 255 + size_t{255} * 255;
constexpr uint8_t kLastPage = 4;
constexpr size_t kChecksum = 22;  // its place in the header, which counts as zero

uint32_t checksum(std::string_view page) {
  constexpr uint32_t kPolynomial = 0x04C11DB7;
  uint32_t sum = 0;
  for (size_t i = 0; i < page.size(); ++i) {
    const bool counts = i < kChecksum || i >= kChecksum + 4;
    sum ^= counts ? uint32_t{static_cast<uint8_t>(page[i])} << 24U : 0;
    for (int bit = 0; bit < 8; ++bit) sum = (sum << 1U) ^ ((sum >> 31U) * kPolynomial);
  }
  return sum;
}

}  // namespace

bool ogg_has_end_mark(ByteSource& bytes) {
  const uint64_t size = bytes.size_bytes().value_or(0);
  std::vector<std::byte> tail(static_cast<size_t>(std::min<uint64_t>(size, kLongestPage)));
  bytes.seek(size - tail.size());
  tail.resize(bytes.read(tail));
  const std::string_view text = base::as_text(tail);
  const size_t page = text.rfind("OggS");
  if (page == std::string_view::npos || text.size() - page < kHeaderBytes) return false;
  const auto byte_at = [&](size_t offset) { return static_cast<uint8_t>(text[page + offset]); };
  const size_t segments = byte_at(26);
  size_t length = kHeaderBytes + segments;
  if (text.size() - page < length) return false;
  for (size_t segment = 0; segment < segments; ++segment) length += byte_at(kHeaderBytes + segment);
  if (text.size() - page < length || (byte_at(5) & kLastPage) == 0) return false;
  const auto claimed = base::load_unaligned<uint32_t>(tail.data() + page + kChecksum);
  return claimed == checksum(text.substr(page, length));
}

}  // namespace whinchat::audio
