#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>

#include "base/error.h"
#include "cli/screen_text.h"

namespace whinchat::cli {
namespace {

int terminal_width() {
  if (::isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  constexpr int kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

Progress::Progress(std::ostream& out, bool quiet) : Progress(out, quiet, terminal_width()) {}

Progress::Progress(std::ostream& out, bool quiet, int width)
    : out_(out), quiet_(quiet), width_(width) {}

void Progress::start(const std::string& label) {
  label_ = printable(label);
  begin_ = std::chrono::steady_clock::now();
  rewrite(label_ + " …");
}

std::string Progress::speed(double done_s) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  return fmt::format("{:.1f} s, {:.1f}x real time", elapsed.count(), done_s / elapsed.count());
}

void Progress::show(double done_s, double total_s) {
  rewrite(fmt::format("{:.0f} of {:.0f} s in {}: {}", done_s, total_s, speed(done_s), label_));
}

void Progress::finish(double total_s) {
  clear();
  if (!quiet_) out_ << fmt::format("{}: {:.1f} s in {}\n", label_, total_s, speed(total_s));
}

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
