// The command line: subcommands, options, help.
#pragma once

#include <string>
#include <vector>

namespace whinchat::cli {

// args[0] is the program. Returns the exit status: 0, 1 when something failed, 2 for wrong usage.
int run(std::vector<std::string> args);

// Long options are the same with dashes and underscores: --output_format is --output-format.
std::string normalized_option(const std::string& argument);

}  // namespace whinchat::cli
