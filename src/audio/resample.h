// One channel of f32 samples from one rate to another, in pieces, with libswresample's soxr engine.
// Ends with round(samples * to / from) samples. Pieces may have any size; the result is the same.
// Throws Error{Unsupported} when the machine's libswresample has no soxr.
#pragma once

#include <memory>
#include <span>
#include <vector>

struct SwrContext;

namespace whinchat::audio {

class Resampler {
 public:
  Resampler(int from_hz, int to_hz);

  // Appends what is ready to `out`.
  void push(std::span<const float> samples, std::vector<float>& out);
  // Appends the tail; nothing may be pushed after it.
  void finish(std::vector<float>& out);

 private:
  struct Free {
    void operator()(SwrContext* context) const;
  };
  void convert(const float* samples, int count, std::vector<float>& out);

  std::unique_ptr<SwrContext, Free> context_;
};

}  // namespace whinchat::audio
