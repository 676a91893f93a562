// Ctrl-C (SIGINT), SIGTERM and SIGHUP as a stop: the first asks for the end after what is in hand,
// the second ends the program at once. Made before any other thread starts, once a process.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>

namespace whinchat::cli {

class Interrupt {
 public:
  // Signals that the program was started to ignore (nohup, a shell's background) stay ignored.
  // Unless `quiet`, the first one says on a terminal's standard error what it does.
  explicit Interrupt(bool quiet);

  std::stop_token token() const { return stop_.get_token(); }
  bool is_requested() const { return stop_.stop_requested(); }
  // What a shell would give for the signal: 130 for Ctrl-C.
  int status() const;

 private:
  std::stop_source stop_;
  std::shared_ptr<std::atomic<int>> signal_;  // shared with the thread that waits for signals
};

// A file that becomes shorter while it is mapped ends the program with a sentence and status 1, and
// a file larger than allowed is a failed write: neither is a crash.
void install_fault_handlers();

}  // namespace whinchat::cli
