#include "cli/screen/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options/clock_time.h"
#include "cli/screen/screen_text.h"
#include "cli/screen/workload.h"

namespace whinchat::cli {
namespace {

int terminal_width() {
  if (::isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  constexpr int kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

// "12:03 of 1:02:03", ", 4:35 left", ", 10.9x": the most important first. `about` stands before a
// total that may be an estimate.
std::vector<std::string> parts_of(const Pace& pace, const char* about) {
  std::vector<std::string> parts{clock_text(pace.done_s) + " of " +
                                 (pace.total_s ? about + clock_text(*pace.total_s) : "?")};
  if (const auto left_s = pace.left_s()) parts.push_back(", " + clock_text(*left_s) + " left");
  if (const auto speed = pace.speed()) parts.push_back(fmt::format(", {:.1f}x", *speed));
  return parts;
}

// The first parts that fit, and where all of them do, as much as fits of the label.
std::string joined(const std::vector<std::string>& parts, const std::string& label,
                   size_t columns) {
  std::string line;
  for (const std::string& part : parts) {
    if (line.size() + part.size() > columns) return line;
    line += part;
  }
  return line + label;
}

}  // namespace

std::string size_text(uint64_t bytes) {
  constexpr double kMegabyte = 1e6;
  constexpr double kGigabyte = 1e9;
  const auto value = static_cast<double>(bytes);
  return value >= kGigabyte ? fmt::format("{:.2f} GB", value / kGigabyte)
                            : fmt::format("{:.1f} MB", value / kMegabyte);
}

Progress::Progress(std::ostream& out, bool quiet) : out_(out), quiet_(quiet) {}

Progress::Progress(std::ostream& out, bool quiet, int width)
    : out_(out), quiet_(quiet), width_(width) {}

int Progress::width() const { return width_ ? *width_ : terminal_width(); }

std::string Progress::place_text() const {
  return place_.count > 1 ? fmt::format("file {} of {}: ", place_.number, place_.count) : "";
}

void Progress::start(const std::string& label, Place place) {
  label_ = printable(label);
  place_ = place;
  begin_ = std::chrono::steady_clock::now();
  shown_at_ = {};
  rewrite(place_text() + label_ + " …");
}

double Progress::elapsed_s() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  return elapsed.count();
}

bool Progress::is_due() {
  constexpr std::chrono::milliseconds kBetween{200};
  const auto now = std::chrono::steady_clock::now();
  const bool is_due = now - shown_at_ >= kBetween;
  if (is_due) shown_at_ = now;
  return is_due;
}

void Progress::show(const Pace& file, const Pace& all) {
  if (quiet_ || width() == 0 || !is_due()) return;
  std::vector<std::string> parts = parts_of(file, "");
  if (place_.count > 1) {
    parts.front().insert(0, fmt::format("{}/{}: ", place_.number, place_.count));
    std::vector<std::string> of_all = parts_of(all, "~");
    of_all.front().insert(0, "; all: ");
    std::ranges::move(of_all, std::back_inserter(parts));
  }
  rewrite(joined(parts, ": " + label_, static_cast<size_t>(width() - 1)));
}

void Progress::finish(double total_s) {
  say(fmt::format("{}{}: {:.1f} s in {:.1f} s, {:.1f}x real time", place_text(), label_, total_s,
                  elapsed_s(), total_s / elapsed_s()));
}

void Progress::start_transfer(const std::string& label, uint64_t done_bytes, uint64_t total_bytes) {
  label_ = printable(label);
  begin_ = std::chrono::steady_clock::now();
  shown_at_ = {};
  begin_bytes_ = done_bytes;
  if (quiet_ || width() > 0) return;
  out_ << fmt::format("{}: {}{}\n", label_, size_text(total_bytes),
                      done_bytes > 0 ? ", of which there are " + size_text(done_bytes) : "")
       << std::flush;
}

void Progress::show_transfer(uint64_t done_bytes, uint64_t total_bytes) {
  if (!is_due()) return;
  // After a file of another hash, fewer bytes are there than at the beginning.
  const uint64_t come = done_bytes > begin_bytes_ ? done_bytes - begin_bytes_ : 0;
  const double bytes_per_s = static_cast<double>(come) / elapsed_s();
  std::string line =
      fmt::format("{}: {} of {}", label_, size_text(done_bytes), size_text(total_bytes));
  if (come > 0) {
    line += fmt::format(", {}/s, {:.0f} s left", size_text(static_cast<uint64_t>(bytes_per_s)),
                        static_cast<double>(total_bytes - done_bytes) / bytes_per_s);
  }
  rewrite(line);
}

void Progress::finish_transfer(uint64_t total_bytes) {
  say(fmt::format("{}: {} in {:.1f} s", label_, size_text(total_bytes), elapsed_s()));
}

void Progress::say(const std::string& line) {
  clear();
  if (!quiet_) out_ << printable(line) << '\n' << std::flush;
}

void Progress::remark(const std::string& sentence) { say("whinchat: " + sentence); }

void Progress::note(const std::string& sentence) {
  clear();
  const std::string shown = printable(sentence);
  const bool names_label = shown.find(label_) != std::string::npos;
  out_ << "whinchat: " << (names_label ? "" : label_ + ": ") << shown << '\n';
}

void Progress::clear() {
  if (!shown_.empty()) out_ << "\r\x1b[K" << std::flush;
  shown_.clear();
}

void Progress::rewrite(const std::string& line) {
  const int columns = width();
  if (quiet_ || columns == 0) return;
  // The last column stays free: a full line would wrap.
  const std::string shown = fitted(line, static_cast<size_t>(columns - 1));
  if (shown == shown_) return;
  // At once, and over what is there: a line that is empty for a moment flickers.
  out_ << (shown_.empty() ? shown : "\r" + shown + "\x1b[K") << std::flush;
  shown_ = shown;
}

}  // namespace whinchat::cli
