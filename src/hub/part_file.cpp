#include "hub/part_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "hub/digest.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

constexpr double kMegabyte = 1e6;

[[noreturn]] void fail_write(const fs::path& path, int code) {
  const std::string reason = std::error_code(code, std::generic_category()).message();
  base::fail(ErrorKind::Internal, "{} cannot be written: {}", path.string(), reason);
}

int open_part(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) fail_write(path, errno);
  return fd;
}

}  // namespace

fs::path PartFile::path_of(const fs::path& target) { return target.string() + ".incomplete"; }

PartFile::PartFile(const fs::path& target, uint64_t bytes, Digest digest)
    : target_(target),
      path_(path_of(target)),
      bytes_(bytes),
      digest_(std::move(digest)),
      hasher_(digest_.kind, bytes),
      fd_(open_part(path_)) {}

PartFile::~PartFile() { ::close(fd_); }

bool PartFile::take_up(const std::stop_token& stop) {
  const auto map = base::FileMap::open(path_);
  base::Bytes rest = map->bytes();
  if (rest.size() > bytes_) {
    restart();
    return true;
  }
  constexpr size_t kPieceBytes = size_t{64} << 20;
  while (!rest.empty()) {
    if (stop.stop_requested()) return false;
    const size_t count = std::min(rest.size(), kPieceBytes);
    hasher_.add(rest.first(count));
    rest = rest.subspan(count);
    position_ += count;
  }
  return true;
}

void PartFile::append(base::Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(position_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int code = errno;
      base::fail(ErrorKind::Internal, "{} cannot be written: {}; what has come is kept: {:.1f} MB",
                 path_.string(), std::error_code(code, std::generic_category()).message(),
                 static_cast<double>(position_) / kMegabyte);
    }
    hasher_.add(bytes.first(static_cast<size_t>(count)));
    position_ += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void PartFile::restart() {
  if (::ftruncate(fd_, 0) != 0) fail_write(path_, errno);
  hasher_ = Hasher(digest_.kind, bytes_);
  position_ = 0;
}

bool PartFile::finish() {
  std::error_code error;
  if (hasher_.finish() != digest_) {
    fs::remove(path_, error);
    return false;
  }
  // A name must not outlive a power cut without its content.
  if (::fsync(fd_) != 0) fail_write(path_, errno);
  fs::rename(path_, target_, error);
  if (error) fail_write(target_, error.value());
  return true;
}

void require_free_space(const fs::path& folder, uint64_t bytes) {
  fs::path existing = fs::absolute(folder);
  std::error_code error;
  while (!fs::exists(existing, error) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  struct statvfs disk{};
  if (::statvfs(existing.c_str(), &disk) != 0) return;  // writing will say what is wrong
  const uint64_t free = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (free >= bytes) return;
  base::fail(
      ErrorKind::Internal,
      "{:.1f} MB are needed, and the disk that holds {} has {:.1f} MB: free some space there, "
      "or name a folder on another disk by HF_HUB_CACHE and WHINCHAT_CACHE",
      static_cast<double>(bytes) / kMegabyte, existing.string(),
      static_cast<double>(free) / kMegabyte);
}

}  // namespace whinchat::hub
