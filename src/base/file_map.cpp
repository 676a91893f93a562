#include "base/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"

namespace whinchat::base {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

FileMap::FileMap(std::filesystem::path path, void* data, size_t size)
    : path_(std::move(path)), data_(data), size_(size) {}

FileMap::~FileMap() {
  if (size_ > 0) ::munmap(data_, size_);
}

std::shared_ptr<const FileMap> FileMap::open(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) {
    const int error = errno;
    fail(error == ENOENT ? ErrorKind::NotFound : ErrorKind::BadInput, "cannot open {}: {}",
         path.string(), std::strerror(error));
  }
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) {
    fail(ErrorKind::BadInput, "cannot read {}: {}", path.string(), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    fail(ErrorKind::BadInput, "expected a file, got {}: {}",
         S_ISDIR(status.st_mode) ? "a directory" : "a device", path.string());
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* data = nullptr;
  if (size > 0) {
    data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (data == MAP_FAILED) {
      fail(ErrorKind::Internal, "cannot map {}: {}", path.string(), std::strerror(errno));
    }
  }
  const auto* map = new FileMap(path, data, size);
  return {map, Close{map}};
}

const FileMap* FileMap::of(const std::shared_ptr<const void>& owner) {
  const auto* close = std::get_deleter<Close>(owner);
  return close == nullptr ? nullptr : close->map;
}

void FileMap::release(Bytes part) const {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<size_t>(part.data() - bytes().data());
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = (offset + part.size()) / page * page;
  // A kernel that declines leaves them in memory, which harms nobody.
  if (begin < end) ::madvise(static_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace whinchat::base
