// `whinchat man`: the manual page, made from the options themselves.
#pragma once

#include <functional>
#include <string>

#include "cli/description/command_tree.h"

namespace whinchat::cli {

// In troff's man macros.
std::string manual(const Command& program, const std::string& version);

// Adds the subcommand to `app`, which must outlive the result; that prints the page.
std::function<int()> add_manual(CLI::App& app);

}  // namespace whinchat::cli
