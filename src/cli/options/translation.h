// A command line with other programs' options as one with ours.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

namespace whinchat::cli {

struct Translation {
  std::vector<std::string> arguments;
  std::vector<std::string> remarks;  // what was left out, a sentence each
};

// The arguments of `command`, whose long options have dashes. Throws Error{BadInput} for an option
// that is not there, with the nearest name that is, and for one whose row in other_names() says so.
Translation translated(const CLI::App& command, std::span<const std::string> arguments);

}  // namespace whinchat::cli
