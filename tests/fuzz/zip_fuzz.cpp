// A ZIP archive: its list of members, then what the first of them unpack to.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/zip.h"
#include "whinchat/error.h"

using namespace whinchat;

namespace {

// A few bytes can unpack to many: what is asked for at all is kept short.
constexpr size_t kMostMembers = 8;
constexpr uint64_t kMostBytes = uint64_t{16} << 20U;

void unpack(base::Bytes archive, const base::ZipMember& member) {
  uint64_t bytes = 0;
  const auto count = [&](base::Bytes piece) {
    bytes += piece.size();
    if (bytes > member.bytes) std::abort();
  };
  try {
    base::unpack_zip_member(archive, member, "archive", count);
    if (bytes != member.bytes) std::abort();
  } catch (const Error&) {
    return;  // a refusal is an answer
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const base::Bytes archive = std::as_bytes(std::span(data, size));
  std::vector<base::ZipMember> members;
  try {
    members = base::read_zip_members(archive, "archive");
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  members.resize(std::min(members.size(), kMostMembers));
  for (const base::ZipMember& member : members) {
    if (member.bytes <= kMostBytes) unpack(archive, member);
  }
  return 0;
}
