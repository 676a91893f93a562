// `whinchat completion bash|zsh|fish`: what makes a shell complete whinchat's commands, options and
// their values. One file a shell; each writes a script for that shell to read.
#pragma once

#include <functional>
#include <string>

#include "cli/description/command_tree.h"

namespace whinchat::cli {

std::string bash_completion(const Command& program);
std::string fish_completion(const Command& program);
std::string zsh_completion(const Command& program);

// In single quotes, as all three read it.
std::string shell_quoted(const std::string& text);

// Adds the subcommand to `app`, which must outlive the result; that prints the script.
std::function<int()> add_completion(CLI::App& app);

}  // namespace whinchat::cli
