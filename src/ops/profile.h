// Time by operation. Recorded on the stream's thread, read on the engine thread between
// evaluations.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace whinchat::ops {

class Profile {
 public:
  using Clock = std::chrono::steady_clock;

  struct Span {
    const char* name;  // static
    Clock::time_point begin, end;
  };

  void start() { is_recording_ = true; }
  bool is_recording() const { return is_recording_; }
  void add(Span span) { spans_.push_back(span); }
  std::vector<Span> take() { return std::exchange(spans_, {}); }

 private:
  bool is_recording_ = false;
  std::vector<Span> spans_;
};

}  // namespace whinchat::ops
