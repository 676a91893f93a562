#include "base/bytes.h"

#include <cstdint>

#include "base/error.h"

namespace whinchat::base {

Bytes ByteReader::read_bytes(uint64_t count) {
  if (count > remaining()) {
    fail(ErrorKind::Corrupt,
         "{}: expected {} bytes at position {}, got the end of the file after {}", what_, count,
         position_, remaining());
  }
  const Bytes result = bytes_.subspan(position_, count);
  position_ += count;
  return result;
}

}  // namespace whinchat::base
