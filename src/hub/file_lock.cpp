#include "hub/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

#include "base/error.h"

namespace whinchat::hub {
namespace {

constexpr mode_t kGroupMayWait = 0664;  // huggingface_hub's mode

// A holder may have removed the file meanwhile: then others lock another one of that name.
bool is_still_at(int fd, const std::filesystem::path& file) {
  struct stat held{};
  struct stat named{};
  return ::fstat(fd, &held) == 0 && ::stat(file.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

[[noreturn]] void fail_lock(const std::filesystem::path& file, const std::error_code& error) {
  base::fail(ErrorKind::Internal, "the lock {} cannot be taken: {}", file.string(),
             error.message());
}

}  // namespace

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) fail_lock(file, error);
  FileLock lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kGroupMayWait));
  if (lock.fd_ < 0) fail_lock(file, {errno, std::generic_category()});
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) == 0) {
    if (!is_still_at(lock.fd_, file)) return std::nullopt;
    return lock;
  }
  if (errno != EWOULDBLOCK && errno != EINTR) fail_lock(file, {errno, std::generic_category()});
  return std::nullopt;
}

std::optional<FileLock> FileLock::lock(const std::filesystem::path& file,
                                       const std::stop_token& stop,
                                       const std::function<void()>& on_wait) {
  constexpr std::chrono::milliseconds kPause{100};
  bool has_waited = false;
  while (!stop.stop_requested()) {
    if (std::optional<FileLock> lock = try_lock(file)) return lock;
    if (!has_waited) on_wait();
    has_waited = true;
    std::this_thread::sleep_for(kPause);
  }
  return std::nullopt;
}

}  // namespace whinchat::hub
