// ZIP archives, such as Python's wheels and torch's checkpoints: the list of members, and a
// member's bytes in pieces or where they lie. Stored and deflated members of one archive, plain or
// zip64; encryption, several disks and anything between the list and the archive's end are refused.
// Errors: Error{Corrupt} or {Unsupported} that names `what`. Source: PKWARE's APPNOTE 6.3.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace whinchat::base {

struct ZipMember {
  std::string name;
  uint64_t bytes = 0;  // once unpacked
  uint64_t packed_bytes = 0;
  uint64_t position = 0;  // of its local header
  uint32_t crc = 0;
  uint16_t method = 0;
};

std::vector<ZipMember> read_zip_members(Bytes archive, std::string_view what);

// Gives the member's bytes to `sink`, in order, a piece at a time. What does not have the size and
// CRC that the list states throws; by then `sink` has had some of it, never more than that size.
void unpack_zip_member(Bytes archive, const ZipMember& member, std::string_view what,
                       const std::function<void(Bytes)>& sink);

// The bytes of a member that is stored as it is, where they lie in the archive; a packed one is
// refused. The CRC is not compared: that would read every page, and torch may write none.
Bytes stored_zip_member(Bytes archive, const ZipMember& member, std::string_view what);

}  // namespace whinchat::base
