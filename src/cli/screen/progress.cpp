#include "cli/screen/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "base/error.h"
#include "cli/screen/screen_text.h"

namespace whinchat::cli {
namespace {

int terminal_width() {
  if (::isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  constexpr int kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

std::string size_text(uint64_t bytes) {
  constexpr double kMegabyte = 1e6;
  constexpr double kGigabyte = 1e9;
  const auto value = static_cast<double>(bytes);
  return value >= kGigabyte ? fmt::format("{:.2f} GB", value / kGigabyte)
                            : fmt::format("{:.1f} MB", value / kMegabyte);
}

Progress::Progress(std::ostream& out, bool quiet) : Progress(out, quiet, terminal_width()) {}

Progress::Progress(std::ostream& out, bool quiet, int width)
    : out_(out), quiet_(quiet), width_(width) {}

void Progress::start(const std::string& label, const std::string& place) {
  label_ = printable(label);
  place_ = place.empty() ? "" : place + ": ";
  begin_ = std::chrono::steady_clock::now();
  rewrite(place_ + label_ + " …");
}

double Progress::elapsed_s() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  return elapsed.count();
}

std::string Progress::speed(double done_s) const {
  return fmt::format("{:.1f} s, {:.1f}x real time", elapsed_s(), done_s / elapsed_s());
}

void Progress::show(double done_s, double total_s) {
  rewrite(fmt::format("{}{:.0f} of {:.0f} s in {}: {}", place_, done_s, total_s, speed(done_s),
                      label_));
}

void Progress::finish(double total_s) {
  say(fmt::format("{}{}: {:.1f} s in {}", place_, label_, total_s, speed(total_s)));
}

void Progress::start_transfer(const std::string& label, uint64_t done_bytes, uint64_t total_bytes) {
  label_ = printable(label);
  begin_ = std::chrono::steady_clock::now();
  shown_at_ = {};
  begin_bytes_ = done_bytes;
  if (quiet_ || width_ > 0) return;
  out_ << fmt::format("{}: {}{}\n", label_, size_text(total_bytes),
                      done_bytes > 0 ? ", of which there are " + size_text(done_bytes) : "")
       << std::flush;
}

void Progress::show_transfer(uint64_t done_bytes, uint64_t total_bytes) {
  constexpr std::chrono::milliseconds kBetween{200};
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_at_ < kBetween) return;
  shown_at_ = now;
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
  if (shown_) out_ << "\r\x1b[K" << std::flush;
  shown_ = false;
}

void Progress::rewrite(const std::string& line) {
  if (quiet_ || width_ == 0) return;
  clear();
  // The last column stays free: a full line would wrap.
  out_ << fitted(line, static_cast<size_t>(width_ - 1)) << std::flush;
  shown_ = true;
}

}  // namespace whinchat::cli
