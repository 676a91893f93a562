#include "audio/byte_source.h"

#include <fcntl.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::audio {
namespace {

// How much of a pipe is kept for `rewind`: room for a format chunk behind pictures and notes.
constexpr size_t kKeptBytes = size_t{1} << 20U;

// How long a pipe is waited for before the stop is looked at again.
constexpr int kWaitMs = 50;

}  // namespace

ByteSource ByteSource::open(const std::filesystem::path& path, std::stop_token stop) {
  if (path == "-") {
    if (::isatty(STDIN_FILENO) != 0) {
      base::fail(ErrorKind::BadInput,
                 "standard input is a terminal; expected sound from a pipe or a file");
    }
    return {STDIN_FILENO, false, "standard input", std::move(stop)};
  }
  // Without O_NONBLOCK a named pipe waits here for its writer, where no stop reaches it.
  const int nonblock = stop.stop_possible() ? O_NONBLOCK : 0;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | nonblock);
  if (descriptor < 0) {
    const int error = errno;
    base::fail(error == ENOENT || error == ENOTDIR ? ErrorKind::NotFound : ErrorKind::BadInput,
               "cannot open {}: {}", path.string(), std::strerror(error));
  }
  return {descriptor, true, path.string(), std::move(stop)};
}

ByteSource ByteSource::from_descriptor(int descriptor, std::string name) {
  return {descriptor, true, std::move(name)};
}

ByteSource::ByteSource(int descriptor, bool is_owned, std::string name, std::stop_token stop)
    : descriptor_(descriptor), is_owned_(is_owned), name_(std::move(name)), stop_(std::move(stop)) {
  struct stat status{};
  const bool is_known = ::fstat(descriptor_, &status) == 0;
  if (!is_known || S_ISDIR(status.st_mode)) {
    const std::string reason = is_known ? "it is a directory" : std::strerror(errno);
    if (is_owned_ && descriptor_ >= 0) ::close(descriptor_);
    base::fail(ErrorKind::BadInput, "cannot read {}: {}", name_, reason);
  }
  if (!S_ISREG(status.st_mode)) return;
  const off_t offset = is_owned_ ? 0 : ::lseek(descriptor_, 0, SEEK_CUR);
  origin_ = offset > 0 ? static_cast<uint64_t>(offset) : 0;
  const auto size = static_cast<uint64_t>(status.st_size);
  size_ = size - std::min(size, origin_);
}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      is_owned_(std::exchange(other.is_owned_, false)),
      name_(std::move(other.name_)),
      stop_(std::move(other.stop_)),
      size_(other.size_),
      origin_(other.origin_),
      position_(other.position_),
      kept_(std::move(other.kept_)),
      kept_from_(other.kept_from_),
      keeps_start_(other.keeps_start_) {}

ByteSource::~ByteSource() {
  if (is_owned_) ::close(descriptor_);
}

bool ByteSource::wait_for_pipe() const {
  if (!stop_.stop_possible()) return true;
  pollfd pipe{.fd = descriptor_, .events = POLLIN, .revents = 0};
  while (!stop_.stop_requested()) {
    const int ready = ::poll(&pipe, 1, kWaitMs);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // what is wrong, `read` finds too
  }
  return false;
}

size_t ByteSource::read_descriptor(std::span<std::byte> out) {
  size_t done = 0;
  while (done < out.size()) {
    if (!is_seekable() && !wait_for_pipe()) break;
    const auto offset = static_cast<off_t>(origin_ + position_ + done);
    const ssize_t count = is_seekable()
                              ? ::pread(descriptor_, out.data() + done, out.size() - done, offset)
                              : ::read(descriptor_, out.data() + done, out.size() - done);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      base::fail(ErrorKind::Internal, "cannot read {}: {}", name_, std::strerror(errno));
    }
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return done;
}

// Serves from what is kept, then from the descriptor, keeping that too while the start is wanted.
size_t ByteSource::read_pipe(std::span<std::byte> out) {
  const auto kept_offset = static_cast<size_t>(position_ - kept_from_);
  const size_t from_kept = std::min(out.size(), kept_.size() - kept_offset);
  std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(kept_offset), from_kept, out.begin());
  const std::span<std::byte> rest = out.subspan(from_kept);
  const size_t from_descriptor = rest.empty() ? 0 : read_descriptor(rest);
  position_ += from_kept + from_descriptor;
  if (keeps_start_ && kept_.size() + from_descriptor <= kKeptBytes) {
    kept_.insert(kept_.end(), rest.begin(),
                 rest.begin() + static_cast<std::ptrdiff_t>(from_descriptor));
  } else if (from_descriptor > 0 || kept_offset + from_kept == kept_.size()) {
    keeps_start_ = false;
    kept_.clear();
    kept_from_ = position_;
  }
  return from_kept + from_descriptor;
}

size_t ByteSource::read(std::span<std::byte> out) {
  if (!is_seekable()) return read_pipe(out);
  const size_t count = read_descriptor(out);
  position_ += count;
  return count;
}

size_t ByteSource::peek(std::span<std::byte> out) {
  const uint64_t start = position_;
  if (is_seekable()) {
    const size_t count = read(out);
    position_ = start;
    return count;
  }
  const auto kept_offset = static_cast<size_t>(position_ - kept_from_);
  const size_t kept = kept_.size() - kept_offset;
  if (kept < out.size()) {
    const size_t count = read_descriptor(out.subspan(kept));
    kept_.insert(kept_.end(), out.begin() + static_cast<std::ptrdiff_t>(kept),
                 out.begin() + static_cast<std::ptrdiff_t>(kept + count));
  }
  const size_t count = std::min(out.size(), kept_.size() - kept_offset);
  std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(kept_offset), count, out.begin());
  return count;
}

uint64_t ByteSource::skip(uint64_t count) {
  if (is_seekable()) {
    const uint64_t size = size_.value_or(0);
    const uint64_t step = std::min(count, size - std::min(size, position_));
    position_ += step;
    return step;
  }
  std::vector<std::byte> discarded(std::min<uint64_t>(count, 65536));
  uint64_t done = 0;
  while (done < count) {
    const uint64_t wanted = std::min<uint64_t>(discarded.size(), count - done);
    const size_t step = read(std::span(discarded).first(static_cast<size_t>(wanted)));
    if (step == 0) break;
    done += step;
  }
  return done;
}

void ByteSource::seek(uint64_t position) { position_ = position; }

bool ByteSource::rewind() {
  if (!is_seekable() && !keeps_start_) return false;
  position_ = 0;
  return true;
}

void ByteSource::forget_start() { keeps_start_ = false; }

}  // namespace whinchat::audio
