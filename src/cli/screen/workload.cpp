#include "cli/screen/workload.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace whinchat::cli {

std::optional<double> Pace::speed() const {
  return done_s > 0 && elapsed_s > 0 ? std::optional(done_s / elapsed_s) : std::nullopt;
}

std::optional<double> Pace::left_s() const {
  const std::optional<double> fast = speed();
  if (!fast || !total_s) return std::nullopt;
  return std::fmax(*total_s - done_s, 0) / *fast;
}

Workload::Workload(std::vector<Load> files)
    : files_(std::move(files)), is_ahead_(files_.size(), true) {}

void Workload::leave_out(size_t file) {
  is_ahead_[file] = false;
  ++files_done_;
}

void Workload::begin(size_t file) {
  is_ahead_[file] = false;
  current_ = file;
  pace_ = {};
}

void Workload::hear(double done_s, double total_s) {
  pace_.done_s = done_s;
  const bool is_known = total_s > 0 && std::isfinite(total_s);
  pace_.total_s = is_known ? std::optional(total_s) : std::nullopt;
}

void Workload::finish() {
  ++files_done_;
  done_s_ += pace_.done_s;
  const Load& load = files_[current_];
  // Of a part nothing follows for a whole.
  const bool is_whole = pace_.total_s && pace_.done_s >= *pace_.total_s;
  if (load.size && is_whole) {
    Heard& heard = heard_[load.kind];
    heard.seconds += pace_.done_s;
    heard.bytes += static_cast<double>(*load.size);
  }
  pace_ = {};
}

std::optional<double> Workload::total_s() const {
  double total_s = done_s_ + pace_.total_s.value_or(0);
  if (files_done_ < files_.size() && !pace_.total_s) return std::nullopt;
  for (size_t file = 0; file < files_.size(); ++file) {
    if (!is_ahead_[file]) continue;
    const Load& load = files_[file];
    const auto heard = heard_.find(load.kind);
    if (!load.size || heard == heard_.end() || heard->second.bytes == 0) return std::nullopt;
    total_s += static_cast<double>(*load.size) * heard->second.seconds / heard->second.bytes;
  }
  return total_s;
}

Pace Workload::file(double elapsed_s) const {
  Pace pace = pace_;
  pace.elapsed_s = elapsed_s;
  return pace;
}

Pace Workload::all(double elapsed_s) const {
  return {.done_s = done_s_ + pace_.done_s, .total_s = total_s(), .elapsed_s = elapsed_s};
}

}  // namespace whinchat::cli
