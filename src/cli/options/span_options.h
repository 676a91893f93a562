// How spans of speech are made of its probabilities.
#pragma once

#include <CLI/CLI.hpp>

#include "whinchat/vad.h"

namespace whinchat::cli {

// What is parsed goes to `options`, which outlives `command` and has the defaults.
void add_span_options(CLI::App& command, VadOptions& options);

}  // namespace whinchat::cli
