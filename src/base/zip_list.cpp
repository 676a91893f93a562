// The list of members at a ZIP archive's end, plain or zip64.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/zip.h"

namespace whinchat::base {
namespace {

constexpr uint32_t kListedMember = 0x02014B50;
constexpr uint64_t kListedMemberBytes = 46;
constexpr uint32_t kEndOfList = 0x06054B50;
constexpr uint64_t kEndOfListBytes = 22;
constexpr uint32_t kZip64EndOfList = 0x06064B50;
constexpr uint64_t kZip64EndOfListBytes = 56;
constexpr uint32_t kZip64Locator = 0x07064B50;
constexpr uint64_t kZip64LocatorBytes = 20;
constexpr uint64_t kMaxCommentBytes = 0xFFFF;
constexpr uint32_t kInZip64 = 0xFFFFFFFF;
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kEncrypted = 1;

struct EndOfList {
  uint64_t members = 0;
  uint64_t bytes = 0;
  uint64_t position = 0;
  uint64_t at = 0;  // of the first record behind the list
};

uint64_t find_end_of_list(Bytes archive, std::string_view what) {
  const uint64_t size = archive.size();
  const uint64_t last = size < kEndOfListBytes ? 0 : size - kEndOfListBytes;
  const uint64_t first = last < kMaxCommentBytes ? 0 : last - kMaxCommentBytes;
  for (uint64_t at = last; size >= kEndOfListBytes; --at) {
    const bool is_end = load_unaligned<uint32_t>(archive.data() + at) == kEndOfList;
    const auto comment_bytes = load_unaligned<uint16_t>(archive.data() + at + 20);
    // An archive's comment may hold the mark too: only the record that ends the file counts.
    if (is_end && at + kEndOfListBytes + comment_bytes == size) return at;
    if (at == first) break;
  }
  fail(ErrorKind::Corrupt, "{}: expected a ZIP archive, got no end of its list of members", what);
}

[[noreturn]] void fail_pieces(std::string_view what) {
  fail(ErrorKind::Unsupported, "{}: expected a ZIP archive in one piece, got one of several", what);
}

EndOfList read_plain_end(Bytes archive, uint64_t at, std::string_view what) {
  ByteReader reader(archive.subspan(at + 4), std::string(what));
  const auto disk = reader.read<uint16_t>();
  const auto first_disk = reader.read<uint16_t>();
  const auto members_here = reader.read<uint16_t>();
  EndOfList end;
  end.members = reader.read<uint16_t>();
  if (disk != 0 || first_disk != 0 || members_here != end.members) fail_pieces(what);
  end.bytes = reader.read<uint32_t>();
  end.position = reader.read<uint32_t>();
  end.at = at;
  return end;
}

bool has_zip64_locator(Bytes archive, uint64_t at) {
  return at >= kZip64LocatorBytes + kZip64EndOfListBytes &&
         load_unaligned<uint32_t>(archive.data() + at - kZip64LocatorBytes) == kZip64Locator;
}

// The two records of zip64 lie right before the plain one, which begins at byte `at`.
EndOfList read_zip64_end(Bytes archive, uint64_t at, std::string_view what) {
  ByteReader locator(archive.subspan(at - kZip64LocatorBytes + 4), std::string(what));
  locator.read<uint32_t>();  // disk
  const auto record_at = locator.read<uint64_t>();
  EndOfList end;
  end.at = at - kZip64LocatorBytes - kZip64EndOfListBytes;
  ByteReader reader(archive.subspan(end.at), std::string(what));
  const auto mark = reader.read<uint32_t>();
  const auto record_bytes = reader.read<uint64_t>();  // without these two
  if (record_at != end.at || mark != kZip64EndOfList || record_bytes + 12 != kZip64EndOfListBytes) {
    fail(ErrorKind::Corrupt, "{}: expected the zip64 end of the list of members at byte {}", what,
         end.at);
  }
  reader.read<uint32_t>();  // versions
  const auto disk = reader.read<uint32_t>();
  const auto first_disk = reader.read<uint32_t>();
  const auto members_here = reader.read<uint64_t>();
  end.members = reader.read<uint64_t>();
  if (disk != 0 || first_disk != 0 || members_here != end.members) fail_pieces(what);
  end.bytes = reader.read<uint64_t>();
  end.position = reader.read<uint64_t>();
  return end;
}

EndOfList read_end_of_list(Bytes archive, std::string_view what) {
  const uint64_t at = find_end_of_list(archive, what);
  const EndOfList end = has_zip64_locator(archive, at) ? read_zip64_end(archive, at, what)
                                                       : read_plain_end(archive, at, what);
  if (end.position > end.at || end.bytes != end.at - end.position) {
    fail(ErrorKind::Corrupt, "{}: expected the list of members to end at byte {}, got {}", what,
         end.at, end.position + end.bytes);
  }
  return end;
}

// Where a value does not fit the list's 32 bits, it stands in the field of zip64, in this order.
void read_zip64_values(ZipMember& member, Bytes extra, std::string_view what) {
  ByteReader fields(extra, std::string(what));
  while (fields.remaining() >= 4) {
    const auto id = fields.read<uint16_t>();
    const Bytes field = fields.read_bytes(fields.read<uint16_t>());
    if (id != kZip64Field) continue;
    ByteReader values(field, std::string(what));
    for (uint64_t* value : {&member.bytes, &member.packed_bytes, &member.position}) {
      if (*value == kInZip64) *value = values.read<uint64_t>();
    }
    return;
  }
  fail(ErrorKind::Corrupt, "{}: expected the zip64 sizes of the member {}, got none", what,
       member.name);
}

ZipMember read_listed_member(ByteReader& reader, std::string_view what) {
  if (reader.read<uint32_t>() != kListedMember) {
    fail(ErrorKind::Corrupt, "{}: expected a member of the ZIP archive, got something else", what);
  }
  reader.read_bytes(4);  // versions
  const auto flags = reader.read<uint16_t>();
  ZipMember member;
  member.method = reader.read<uint16_t>();
  reader.read_bytes(4);  // time and date
  member.crc = reader.read<uint32_t>();
  member.packed_bytes = reader.read<uint32_t>();
  member.bytes = reader.read<uint32_t>();
  const auto name_bytes = reader.read<uint16_t>();
  const auto extra_bytes = reader.read<uint16_t>();
  const auto comment_bytes = reader.read<uint16_t>();
  reader.read_bytes(8);  // disk, attributes
  member.position = reader.read<uint32_t>();
  member.name = as_text(reader.read_bytes(name_bytes));
  const Bytes extra = reader.read_bytes(extra_bytes);
  reader.read_bytes(comment_bytes);
  if ((flags & kEncrypted) != 0) {
    fail(ErrorKind::Unsupported, "{}: the member {} is encrypted", what, member.name);
  }
  if (member.packed_bytes == kInZip64 || member.bytes == kInZip64 || member.position == kInZip64) {
    read_zip64_values(member, extra, what);
  }
  return member;
}

}  // namespace

std::vector<ZipMember> read_zip_members(Bytes archive, std::string_view what) {
  const EndOfList end = read_end_of_list(archive, what);
  ByteReader reader(archive.subspan(end.position, end.bytes), std::string(what));
  std::vector<ZipMember> members;
  members.reserve(std::min<uint64_t>(end.members, end.bytes / kListedMemberBytes));
  for (uint64_t i = 0; i < end.members; ++i) members.push_back(read_listed_member(reader, what));
  if (reader.remaining() > 0) {
    fail(ErrorKind::Corrupt, "{}: expected {} members, got more bytes than they take", what,
         end.members);
  }
  return members;
}

}  // namespace whinchat::base
