// An exclusive lock between processes and threads: flock on a file, as huggingface_hub's FileLock
// takes it. Released with the object, or by the system with the process.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

namespace whinchat::hub {

class FileLock {
 public:
  // nullopt: someone else holds it. Throws Error{Internal} where the file cannot be made.
  static std::optional<FileLock> try_lock(const std::filesystem::path& file);

  // Waits for it; `on_wait` is called once if there is a wait. nullopt: stopped.
  static std::optional<FileLock> lock(const std::filesystem::path& file,
                                      const std::stop_token& stop,
                                      const std::function<void()>& on_wait);

  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace whinchat::hub
