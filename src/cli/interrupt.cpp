#include "cli/interrupt.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX
#include <unistd.h>

#include <atomic>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string_view>
#include <thread>

namespace whinchat::cli {
namespace {

// Async-signal-safe, and whole on a line although other threads print.
void say(std::string_view sentence) {
  static_cast<void>(::write(STDERR_FILENO, sentence.data(), sentence.size()));
}

bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t awaited_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) ::sigaddset(&signals, signal);
  }
  return signals;
}

[[noreturn]] void end_as_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t this_one;
  ::sigemptyset(&this_one);
  ::sigaddset(&this_one, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

void wait_for_signals(const sigset_t& signals, std::stop_source& stop, std::atomic<int>& first,
                      bool quiet) {
  int signal = 0;
  while (::sigwait(&signals, &signal) != 0) continue;
  first = signal;
  if (!quiet && ::isatty(STDERR_FILENO) != 0) {
    say("\r\x1b[Kwhinchat: stopping after this window; once more ends at once\n");
  }
  stop.request_stop();
  while (::sigwait(&signals, &signal) != 0) continue;
  end_as_by(signal);
}

void report_lost_pages(int /*signal*/) {
  say("whinchat: a file of the model became shorter while it was read\n");
  ::_exit(1);
}

}  // namespace

Interrupt::Interrupt(bool quiet) : signal_(std::make_shared<std::atomic<int>>(0)) {
  const sigset_t signals = awaited_signals();
  // Every thread that starts from here inherits this, so that only the waiting one is told.
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([=, stop = stop_, first = signal_]() mutable {
    wait_for_signals(signals, stop, *first, quiet);
  }).detach();
}

int Interrupt::status() const { return 128 + *signal_; }

void install_fault_handlers() {
  ::signal(SIGBUS, report_lost_pages);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace whinchat::cli
