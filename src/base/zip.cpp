#include "base/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"

namespace whinchat::base {
namespace {

constexpr uint32_t kLocalHeader = 0x04034B50;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint64_t kPieceBytes = 1U << 18U;

// The member's packed bytes. Its local header must name the same member.
Bytes packed_bytes(Bytes archive, const ZipMember& member, std::string_view what) {
  if (member.position > archive.size()) {
    fail(ErrorKind::Corrupt, "{}: the member {} begins behind the end", what, member.name);
  }
  ByteReader reader(archive.subspan(member.position), std::string(what));
  const bool is_header = reader.read<uint32_t>() == kLocalHeader;
  reader.read_bytes(4);  // version, flags
  const auto method = reader.read<uint16_t>();
  reader.read_bytes(16);  // time, CRC and sizes: a streamed archive has them behind the data
  const auto name_bytes = reader.read<uint16_t>();
  const auto extra_bytes = reader.read<uint16_t>();
  const bool is_same = as_text(reader.read_bytes(name_bytes)) == member.name;
  if (!is_header || !is_same || method != member.method) {
    fail(ErrorKind::Corrupt, "{}: the list of members and the member {} contradict each other",
         what, member.name);
  }
  reader.read_bytes(extra_bytes);
  return reader.read_bytes(member.packed_bytes);
}

// Counts, sums and passes on what was unpacked.
class Outlet {
 public:
  Outlet(const ZipMember& member, std::string_view what, const std::function<void(Bytes)>& sink)
      : member_(member), what_(what), sink_(sink) {}

  void put(Bytes piece) {
    if (piece.size() > member_.bytes - done_) fail_size("more");
    crc_ =
        crc32(crc_, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    done_ += piece.size();
    if (!piece.empty()) sink_(piece);
  }

  void finish() const {
    if (done_ != member_.bytes) fail_size(std::to_string(done_));
    if (crc_ != member_.crc) {
      fail(ErrorKind::Corrupt, "{}: the member {} has another CRC than the list states", what_,
           member_.name);
    }
  }

 private:
  [[noreturn]] void fail_size(const std::string& came) const {
    fail(ErrorKind::Corrupt, "{}: expected {} bytes in the member {}, got {}", what_, member_.bytes,
         member_.name, came);
  }

  const ZipMember& member_;
  std::string_view what_;
  const std::function<void(Bytes)>& sink_;
  uint64_t done_ = 0;
  uLong crc_ = crc32(0, nullptr, 0);
};

class Inflater {
 public:
  Inflater() {
    // Negative: raw data without a header, as ZIP has it.
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) {
      fail(ErrorKind::Internal, "zlib cannot be started");
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // False where the data are damaged, or end too early or too late.
  bool run(Bytes packed, Outlet& outlet) {
    std::vector<std::byte> piece(kPieceBytes);
    while (true) {
      if (stream_.avail_in == 0) {
        const size_t count = std::min<uint64_t>(packed.size(), kPieceBytes);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(count);
        packed = packed.subspan(count);
      }
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      outlet.put(Bytes(piece).first(piece.size() - stream_.avail_out));
      if (status == Z_STREAM_END) return stream_.avail_in == 0 && packed.empty();
      if (status != Z_OK) return false;  // Z_BUF_ERROR: there is nothing left to read
    }
  }

 private:
  z_stream stream_{};
};

}  // namespace

void unpack_zip_member(Bytes archive, const ZipMember& member, std::string_view what,
                       const std::function<void(Bytes)>& sink) {
  Bytes packed = packed_bytes(archive, member, what);
  Outlet outlet(member, what, sink);
  if (member.method == kStored) {
    while (!packed.empty()) {
      const size_t count = std::min<uint64_t>(packed.size(), kPieceBytes);
      outlet.put(packed.first(count));
      packed = packed.subspan(count);
    }
  } else if (member.method == kDeflated) {
    if (!Inflater().run(packed, outlet)) {
      fail(ErrorKind::Corrupt, "{}: the packed bytes of the member {} are damaged", what,
           member.name);
    }
  } else {
    fail(ErrorKind::Unsupported, "{}: the member {} is packed by method {}: expected {} or {}",
         what, member.name, member.method, kStored, kDeflated);
  }
  outlet.finish();
}

Bytes stored_zip_member(Bytes archive, const ZipMember& member, std::string_view what) {
  const Bytes packed = packed_bytes(archive, member, what);
  if (member.method != kStored || member.packed_bytes != member.bytes) {
    fail(ErrorKind::Unsupported, "{}: expected the member {} stored as it is, got it packed", what,
         member.name);
  }
  return packed;
}

}  // namespace whinchat::base
