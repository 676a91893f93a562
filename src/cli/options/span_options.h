// How spans of speech are made of its probabilities.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "whinchat/vad.h"

namespace whinchat::cli {

// What is parsed goes to `options`, which outlives `command` and has the defaults. Names begin with
// `prefix`.
void add_span_options(CLI::App& command, const std::string& prefix, VadOptions& options);
void add_cut_options(CLI::App& command, VadOptions& options);  // where long speech is cut

}  // namespace whinchat::cli
