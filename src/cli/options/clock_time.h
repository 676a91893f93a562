// Times of a recording as people say them: 90, 1:30, 1:02:03.5; and the clip between two of them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whinchat::cli {

// Seconds of S, M:SS or H:MM:SS, each with a fraction or without; nothing for any other text. What
// follows a colon has two digits and is below 60.
std::optional<double> parse_clock_time(std::string_view text);

// Whole seconds as M:SS, from an hour on as H:MM:SS; "?" for what is not finite or below 0.
std::string clock_text(double seconds);

struct ClipOptions {
  CLI::Option *start, *end;
};

// --start and --end: `clip` becomes {start} or {start, end} in seconds where either is given. It
// outlives `command`.
ClipOptions add_clip_options(CLI::App& command, std::vector<double>& clip);

}  // namespace whinchat::cli
