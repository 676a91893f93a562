// Times as documents have them.
#pragma once

#include <cstdint>
#include <string>

namespace whinchat::transcription {

// The nearest, as Python rounds; never below 0.
int64_t milliseconds(double seconds);

enum class Hours { Always, WhereNeeded };

// "00:01:02,345" with `marker` before the milliseconds; without hours "01:02,345".
std::string clock_time(int64_t time_ms, char marker, Hours hours);

}  // namespace whinchat::transcription
