// Time by operation. Spans are added on the stream's thread, all else happens on the engine thread
// between evaluations.
#pragma once

#include <chrono>
#include <vector>

namespace whinchat::ops {

class Profile {
 public:
  using Clock = std::chrono::steady_clock;

  struct Span {
    const char* name;  // of the operation, static
    Clock::time_point begin, end;
  };

  bool is_recording() const { return is_recording_; }

  void begin() {
    spans_.clear();
    is_recording_ = true;
    begin_ = Clock::now();
  }
  void add(Span span) { spans_.push_back(span); }
  void end() {
    end_ = Clock::now();
    is_recording_ = false;
  }

  // Of the last recording.
  const std::vector<Span>& spans() const { return spans_; }
  Clock::time_point began() const { return begin_; }
  Clock::time_point ended() const { return end_; }

 private:
  bool is_recording_ = false;
  Clock::time_point begin_, end_;
  std::vector<Span> spans_;
};

}  // namespace whinchat::ops
