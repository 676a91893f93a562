// Where the time went, for people and for trace viewers.
#pragma once

#include <string>

#include "whinchat/transcription.h"

namespace whinchat::transcription {

// A line an operation, longest first: calls, milliseconds, share of the whole, rates of arithmetic
// and of reading. Then the process's memory.
std::string write_profile(const Profile& profile);

// Chrome's trace events in JSON.
std::string write_chrome_trace(const Profile& profile);

}  // namespace whinchat::transcription
