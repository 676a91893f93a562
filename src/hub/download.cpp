#include "hub/download.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "hub/fetch_context.h"
#include "hub/file_lock.h"
#include "hub/http.h"
#include "hub/http_failure.h"
#include "hub/part_file.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kParallel = 4;
constexpr int kAttempts = 6;
constexpr uint64_t kWorthwhileBytes = uint64_t{1} << 20;
constexpr uint64_t kSpareBytes = uint64_t{16} << 20;
constexpr std::chrono::milliseconds kLockPause{100};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// One file, from the wait for its lock to its place on the disk.
class Task {
 public:
  Task(const FetchContext& context, const Download& download, Credentials credentials)
      : context_(context), download_(download), credentials_(credentials) {}

  bool is_done() const { return is_done_; }
  bool is_due() const { return !is_done_ && !request_ && Clock::now() >= due_; }
  CURL* handle() const { return request_ ? request_->handle() : nullptr; }
  uint64_t done_bytes() const {
    if (is_done_) return download_.bytes;
    return part_ ? part_->position() : 0;
  }

  // Has a handle afterwards unless it is done, or must wait.
  void begin();
  void end(CURLcode code);

 private:
  bool take(const Request& request, base::Bytes piece);
  bool accepts(const Request& request);
  void finish();
  void close();
  void retry(const Failure& failure);

  const FetchContext& context_;
  const Download& download_;
  Credentials credentials_;
  Clock::time_point due_;
  bool is_done_ = false;
  bool has_noted_wait_ = false;
  bool is_resumed_ = false;      // some of it came from an earlier process
  bool is_first_piece_ = false;  // of this attempt
  bool has_too_much_ = false;
  std::optional<Error> disk_error_;  // it must not pass through libcurl
  int attempts_ = 0;                 // without much progress
  uint64_t begun_at_ = 0;
  std::optional<FileLock> lock_;
  std::unique_ptr<PartFile> part_;
  std::unique_ptr<Request> request_;
};

void Task::begin() {
  if (!lock_) lock_ = FileLock::try_lock(download_.lock);
  if (!lock_) {
    if (!has_noted_wait_)
      context_.note("waiting for another process that fetches " + download_.name);
    has_noted_wait_ = true;
    due_ = Clock::now() + kLockPause;
    return;
  }
  if (is_there(download_.target)) return close();
  if (!part_) {
    part_ = std::make_unique<PartFile>(download_.target, download_.bytes, download_.digest);
    if (!part_->take_up(context_.stop)) return;
    is_resumed_ = part_->position() > 0;
  }
  begun_at_ = part_->position();
  if (begun_at_ == download_.bytes) return finish();
  is_first_piece_ = true;
  request_ = std::make_unique<Request>(
      context_.settings, download_.url, credentials_,
      [this](const Request& request, base::Bytes piece) { return take(request, piece); });
  request_->begin_at(begun_at_);
  request_->end_slow(context_.settings.download_timeout);
}

// Whether the answer goes on where the part ends; a whole one makes the part begin again.
bool Task::accepts(const Request& request) {
  constexpr long kPartial = 206;
  if (request.status() != kPartial) {
    if (part_->position() > 0) part_->restart();
    return true;
  }
  const std::string expected =
      fmt::format("bytes {}-{}/{}", begun_at_, download_.bytes - 1, download_.bytes);
  if (request.header("content-range") == expected) return true;
  part_->restart();
  return false;
}

bool Task::take(const Request& request, base::Bytes piece) {
  try {
    if (is_first_piece_ && !accepts(request)) return false;
    is_first_piece_ = false;
    has_too_much_ = piece.size() > download_.bytes - part_->position();
    if (has_too_much_) return false;
    part_->append(piece);
    return true;
  } catch (const Error& error) {
    disk_error_ = error;
    return false;
  }
}

void Task::end(CURLcode code) {
  const std::optional<Failure> failure = failure_of(*request_, code, download_.name, credentials_);
  const std::string host = shown_host(request_->address());
  const bool is_refused_range = code == CURLE_WRITE_ERROR && is_first_piece_;
  const bool is_behind_end = request_->status() == 416;
  // An answer that states its size and has it was not cut: the file is another one.
  const bool has_too_little = code == CURLE_OK && !failure && part_->position() < download_.bytes &&
                              !request_->header("content-length").empty();
  request_.reset();
  if (disk_error_) throw Error(*disk_error_);
  if (has_too_much_ || has_too_little) {
    const std::string came = has_too_much_ ? "more" : std::to_string(part_->position());
    part_->restart();
    base::fail(ErrorKind::Corrupt, "{} at {}: expected {} bytes, got {}", download_.name, host,
               download_.bytes, came);
  }
  if (is_behind_end) part_->restart();
  if (is_refused_range || is_behind_end) {
    return retry(
        {fmt::format("{} at {}: it sent another part than it was asked for", download_.name, host),
         ErrorKind::Corrupt, /*is_temporary=*/true});
  }
  if (failure) return retry(*failure);
  if (part_->position() < download_.bytes) {
    return retry({fmt::format("{} at {}: the connection ended after {} of {} bytes", download_.name,
                              host, part_->position(), download_.bytes),
                  ErrorKind::Busy, /*is_temporary=*/true});
  }
  finish();
}

void Task::retry(const Failure& failure) {
  const bool has_progress = part_->position() >= begun_at_ + kWorthwhileBytes;
  attempts_ = has_progress ? 1 : attempts_ + 1;
  const auto wait = wait_after(attempts_, failure);
  if (!wait || attempts_ == kAttempts) throw Error(failure.kind, failure.sentence);
  context_.note(fmt::format("{}; trying again in {} s", failure.sentence, wait->count()));
  due_ = Clock::now() + *wait;
}

void Task::finish() {
  if (part_->finish()) return close();
  part_.reset();
  const std::string sentence = fmt::format("{} at {} is not what its hash promises", download_.name,
                                           shown_host(download_.url));
  if (!is_resumed_) base::fail(ErrorKind::Corrupt, "{}", sentence);
  // The fault may lie in what was there before: once more, from the beginning.
  context_.note(sentence + "; fetching all of it again");
  due_ = Clock::now();
}

void Task::close() {
  is_done_ = true;
  part_.reset();
  lock_.reset();
}

class Downloads {
 public:
  Downloads(const FetchContext& context, const std::vector<Download>& downloads,
            Credentials credentials)
      : context_(context), multi_(curl_multi_init()) {
    for (const Download& download : downloads) {
      tasks_.push_back(std::make_unique<Task>(context, download, credentials));
      total_bytes_ += download.bytes;
    }
  }
  Downloads(const Downloads&) = delete;
  Downloads& operator=(const Downloads&) = delete;
  ~Downloads() {
    for (CURL* handle : running_) curl_multi_remove_handle(multi_, handle);
    tasks_.clear();
    curl_multi_cleanup(multi_);
  }

  bool run() {
    constexpr int kPollMs = 100;
    while (!context_.stop.stop_requested()) {
      begin_due();
      int count = 0;
      curl_multi_perform(multi_, &count);
      end_finished();
      report();
      if (std::ranges::all_of(tasks_, [](const auto& task) { return task->is_done(); })) {
        return true;
      }
      curl_multi_poll(multi_, nullptr, 0, kPollMs, nullptr);
    }
    return false;
  }

 private:
  void begin_due() {
    for (const auto& task : tasks_) {
      if (running_.size() >= kParallel || !task->is_due()) continue;
      task->begin();
      if (task->handle() == nullptr) continue;
      curl_multi_add_handle(multi_, task->handle());
      running_.push_back(task->handle());
    }
  }

  void end_finished() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* handle = message->easy_handle;
      const CURLcode code = message->data.result;
      curl_multi_remove_handle(multi_, handle);  // `message` is gone with it
      std::erase(running_, handle);
      const auto is_its = [&](const auto& task) { return task->handle() == handle; };
      (*std::ranges::find_if(tasks_, is_its))->end(code);
    }
  }

  void report() {
    if (!context_.on_progress) return;
    uint64_t done_bytes = 0;
    for (const auto& task : tasks_) done_bytes += task->done_bytes();
    context_.on_progress(done_bytes, total_bytes_);
  }

  const FetchContext& context_;
  CURLM* multi_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<CURL*> running_;
  uint64_t total_bytes_ = 0;
};

void require_room(const std::vector<Download>& downloads) {
  uint64_t missing = 0;
  for (const Download& download : downloads) {
    if (is_there(download.target)) continue;
    std::error_code error;
    const uint64_t there = fs::file_size(PartFile::path_of(download.target), error);
    missing += error || there > download.bytes ? download.bytes : download.bytes - there;
  }
  if (missing > 0) {
    require_free_space(downloads.front().target.parent_path(), missing + kSpareBytes);
  }
}

}  // namespace

bool download_all(const FetchContext& context, const std::vector<Download>& downloads,
                  Credentials credentials) {
  require_room(downloads);
  return Downloads(context, downloads, credentials).run();
}

}  // namespace whinchat::hub
