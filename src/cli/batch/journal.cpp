#include "cli/batch/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/batch/journal_lines.h"
#include "cli/screen/screen_text.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int error) { return std::generic_category().message(error); }

// In UTF-8 whatever bytes it has, and no two paths alike.
std::string written_path(const fs::path& path) {
  return printable(base::replaced(fs::absolute(path).lexically_normal().string(), "\\", "\\\\"));
}

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

// The error, or 0.
int sync(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  const int error = fd < 0 || ::fsync(fd) != 0 ? errno : 0;
  if (fd >= 0) ::close(fd);
  return error;
}

// Some disks cannot. Where a name is lost with the power, its file is missing then and made again.
void sync_folder_of(const fs::path& path) {
  sync(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
}

int open_journal(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd >= 0) return fd;
  base::fail(ErrorKind::BadInput, "--journal: {} cannot be written: {}", path.string(),
             reason_of(errno));
}

std::string said(const std::string& name, const JournalSettings& settings) {
  constexpr size_t kMostColumns = 60;
  const auto found = settings.find(name);
  return found == settings.end() ? "no " + name : name + " " + fitted(found->second, kMostColumns);
}

// The first that differs is named.
void require_same(const JournalSettings& before, const JournalSettings& now,
                  const std::string& journal) {
  for (const JournalSettings* each : {&before, &now}) {
    for (const auto& [name, value] : *each) {
      const auto ours = now.find(name);
      const auto theirs = before.find(name);
      const bool is_same =
          ours != now.end() && theirs != before.end() && ours->second == theirs->second;
      if (is_same) continue;
      base::fail(ErrorKind::BadInput, "the journal {} is of a run with {}; this one has {}",
                 journal, said(name, before), said(name, now));
    }
  }
}

}  // namespace

Journal::Journal(const fs::path& path, const JournalSettings& settings)
    : name_(path.string()), fd_(open_journal(path)) {
  try {
    lock();
    take_up(settings);
    sync_folder_of(path);
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

Journal::~Journal() { ::close(fd_); }

void Journal::lock() const {
  struct stat status{};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    base::fail(ErrorKind::BadInput, "--journal: expected a file, got {}", name_);
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    base::fail(ErrorKind::Busy, "the journal {} is in use by another run", name_);
  }
  base::fail(ErrorKind::Internal, "the journal {} cannot be locked: {}", name_, reason_of(errno));
}

std::string Journal::content() const {
  constexpr size_t kPieceBytes = size_t{64} << 10U;
  std::string text;
  while (true) {
    std::string piece(kPieceBytes, '\0');
    const ssize_t count = ::pread(fd_, piece.data(), piece.size(), static_cast<off_t>(text.size()));
    if (count < 0) {
      base::fail(ErrorKind::Internal, "the journal {} cannot be read: {}", name_, reason_of(errno));
    }
    text.append(piece, 0, static_cast<size_t>(count));
    // A film that was named by mistake is not read to its end.
    if (count == 0 || !begins_as_journal(text)) return text;
  }
}

void Journal::take_up(const JournalSettings& settings) {
  JournalText text = read_journal(content(), name_);
  // Nothing is lost with one that says of no input that it is done.
  if (text.done.empty()) {
    append(settings_line(settings));
    return;
  }
  require_same(text.settings.value(), settings, name_);
  size_ = text.whole_bytes;
  for (DoneInput& input : text.done) {
    std::string key = input.outputs.front().path;
    by_output_.insert_or_assign(std::move(key), std::move(input));
  }
}

bool Journal::holds(const DoneInput& input) const {
  const auto found = by_output_.find(input.outputs.front().path);
  return found != by_output_.end() && found->second == input;
}

void Journal::add(const DoneInput& input) {
  append(done_line(input));
  by_output_.insert_or_assign(input.outputs.front().path, input);
}

void Journal::append(std::string_view line) {
  const auto end = static_cast<off_t>(size_);
  // What a run left behind the last whole line goes first.
  bool is_written = ::ftruncate(fd_, end) == 0;
  const auto place = [&](size_t done) { return end + static_cast<off_t>(done); };
  for (size_t done = 0; is_written && done < line.size();) {
    const ssize_t count = ::pwrite(fd_, line.data() + done, line.size() - done, place(done));
    is_written = count > 0;
    if (is_written) done += static_cast<size_t>(count);
  }
  is_written = is_written && ::fdatasync(fd_) == 0;
  if (is_written) {
    size_ += line.size();
    return;
  }
  const int error = errno;
  static_cast<void>(::ftruncate(fd_, end));
  base::fail(ErrorKind::Internal, "the journal {} cannot be written: {}", name_, reason_of(error));
}

std::optional<DoneInput> look_at(const fs::path& input, std::span<const fs::path> outputs) {
  const auto status = status_of(input);
  if (!status) return std::nullopt;
  constexpr int64_t kNsPerS = 1'000'000'000;
  DoneInput seen{.path = written_path(input),
                 .size = status->st_size,
                 .mtime_ns = status->st_mtim.tv_sec * kNsPerS + status->st_mtim.tv_nsec};
  for (const fs::path& output : outputs) {
    const auto of_output = status_of(output);
    seen.outputs.push_back({.path = written_path(output),
                            .size = of_output ? static_cast<int64_t>(of_output->st_size) : -1});
  }
  return seen;
}

void write_through(std::span<const fs::path> files) {
  for (const fs::path& file : files) {
    if (const int error = sync(file, O_RDONLY); error != 0) {
      base::fail(ErrorKind::Internal, "{} cannot be kept: {}", file.string(), reason_of(error));
    }
    sync_folder_of(file);
  }
}

}  // namespace whinchat::cli
