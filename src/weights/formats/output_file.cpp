#include "weights/formats/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ios>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::weights {

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)), stream_(path_, std::ios::binary) {
  if (!stream_) fail();
}

void OutputFile::write(base::Bytes bytes) {
  const std::string_view text = base::as_text(bytes);
  stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream_) fail();
}

void OutputFile::close() {
  stream_.close();
  if (!stream_) fail();
}

void OutputFile::fail() const {
  base::fail(ErrorKind::Internal, "cannot write {}: {}", path_.string(), std::strerror(errno));
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.close();
}

}  // namespace whinchat::weights
