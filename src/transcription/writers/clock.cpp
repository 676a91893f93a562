#include "transcription/writers/clock.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace whinchat::transcription {

int64_t milliseconds(double seconds) {
  constexpr double kLongest = 1e12;  // keeps what is no time of a recording within whole numbers
  if (!(seconds > 0)) return 0;
  return static_cast<int64_t>(std::nearbyint(std::min(seconds, kLongest) * 1000));
}

std::string clock_time(int64_t time_ms, char marker, Hours hours) {
  const int64_t seconds = time_ms / 1000;
  const int64_t minutes = seconds / 60;
  std::string shown;
  if (hours == Hours::Always || minutes >= 60) shown = fmt::format("{:02}:", minutes / 60);
  return shown +
         fmt::format("{:02}:{:02}{}{:03}", minutes % 60, seconds % 60, marker, time_ms % 1000);
}

}  // namespace whinchat::transcription
