#include "cli/batch/report.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/batch/batch.h"
#include "cli/files/inputs.h"
#include "cli/screen/event_log.h"
#include "cli/screen/progress.h"
#include "cli/screen/workload.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

// "12 files: 8 done, 2 done before, 1 failed, 1 skipped"
std::string summary_line(const Tally& tally) {
  std::string line = fmt::format("{} files: {} done", tally.files, tally.done);
  if (tally.done_before > 0) line += fmt::format(", {} done before", tally.done_before);
  if (tally.failed > 0) line += fmt::format(", {} failed", tally.failed);
  if (tally.skipped > 0) line += fmt::format(", {} skipped", tally.skipped);
  if (tally.not_begun() > 0) line += fmt::format(", {} not begun", tally.not_begun());
  return line;
}

std::vector<Load> loads_of(const BatchRequest& request) {
  std::vector<Load> loads;
  loads.reserve(request.files.size());
  for (const std::string& file : request.files) {
    std::error_code error;
    const uint64_t size = fs::file_size(file, error);
    // What a clip takes does not grow with the file.
    const bool is_whole = request.options.clip_timestamps.empty() && !error;
    loads.push_back({.kind = base::ascii_lower(fs::path(file).extension().string()),
                     .size = is_whole ? std::optional(size) : std::nullopt});
  }
  return loads;
}

}  // namespace

Report::Report(const BatchRequest& request)
    : request_(request),
      progress_(std::cerr, request.quiet),
      events_(request.json_progress),
      workload_(loads_of(request)) {}

void Report::found(const Inputs& inputs) {
  if (inputs.passed_over > 0) progress_.remark(passed_over_sentence(inputs.passed_over));
  for (const std::string& failure : inputs.failures) {
    progress_.note(failure);
    events_.failed_at_all(failure);
  }
  tally_.failed = inputs.failures.size();
  tally_.files = request_.files.size() + tally_.failed;
}

void Report::announce(size_t index) {
  const std::string& file = request_.files[index];
  const Place place{.number = index + 1, .count = request_.files.size()};
  progress_.start(shown_name(file), place);
  events_.begin(file, place.number, place.count);
}

void Report::begin(size_t index) {
  if (!has_begun_) first_begin_ = std::chrono::steady_clock::now();
  has_begun_ = true;
  heard_s_ = 0;
  announce(index);
  workload_.begin(index);
}

void Report::heard(double done_s, double total_s) {
  heard_s_ = done_s;
  workload_.hear(done_s, total_s);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - first_begin_;
  const Pace file = workload_.file(progress_.elapsed_s());
  const Pace all = workload_.all(elapsed.count());
  progress_.show(file, all);
  events_.progress(workload_, file, all);
}

void Report::finished(const Transcription& result, const std::vector<fs::path>& outputs) {
  events_.done(result, progress_.elapsed_s(), outputs);
  workload_.finish();
  ++tally_.done;
}

void Report::failed(const std::string& message) {
  progress_.note(message);
  events_.failed(message);
  workload_.finish();
  ++tally_.failed;
}

void Report::skipped(size_t index, const std::vector<fs::path>& outputs) {
  announce(index);
  events_.skipped(outputs);
  ++tally_.skipped;
}

void Report::done_before(size_t index, const std::vector<fs::path>& outputs) {
  announce(index);
  events_.done_before(outputs);
  ++tally_.done_before;
}

void Report::interrupted(size_t files_not_begun) {
  progress_.clear();
  std::cerr << fmt::format("whinchat: interrupted: {} of {} files not begun\n", files_not_begun,
                           request_.files.size());
}

int Report::summary(int status) {
  if (status == 0 && tally_.failed > 0) status = 1;
  if (tally_.files > 1) progress_.say(summary_line(tally_));
  events_.summary(tally_, status);
  return status;
}

}  // namespace whinchat::cli
