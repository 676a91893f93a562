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
  return text.size() - page >= length && (byte_at(5) & kLastPage) != 0;
}

}  // namespace whinchat::audio
