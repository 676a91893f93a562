// Time by operation, and what it had to do. Spans are added on the stream's thread, all else
// happens on the engine thread between evaluations.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace whinchat::ops {

// The least that an operation does for its shapes; 0 where that is not counted.
struct Work {
  int64_t flop = 0;        // multiplications and additions of its products
  int64_t read_bytes = 0;  // weights, keys and values, each once

  Work operator+(Work other) const { return {flop + other.flop, read_bytes + other.read_bytes}; }
};

class Profile {
 public:
  using Clock = std::chrono::steady_clock;

  struct Span {
    const char* name;  // of the operation, static
    Clock::time_point begin, end;
    Work work;
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
