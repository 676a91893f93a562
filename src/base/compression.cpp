#include "base/compression.h"

#include <zlib.h>

#include <string_view>
#include <vector>

#include "base/error.h"

namespace whinchat::base {

double compression_ratio(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::vector<Bytef> buffer(size);
  const int status = compress2(buffer.data(), &size, reinterpret_cast<const Bytef*>(text.data()),
                               text.size(), Z_DEFAULT_COMPRESSION);
  if (status != Z_OK) fail(ErrorKind::Internal, "zlib failed with status {}", status);
  return static_cast<double>(text.size()) / static_cast<double>(size);
}

}  // namespace whinchat::base
