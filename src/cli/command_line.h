// The command line: subcommands, options, help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace whinchat::cli {

// args[0] is the program. Returns the exit status: 0, 1 when something failed, 2 for wrong usage.
int run(std::vector<std::string> args);

// Long options are the same with dashes and underscores: --output_format is --output-format.
std::string normalized_option(const std::string& argument);

// A flag of a subcommand followed by True or False, as openai-whisper writes it, is one argument:
// --word-timestamps=True.
std::vector<std::string> with_joined_flags(const CLI::App& app, std::vector<std::string> args);

}  // namespace whinchat::cli
