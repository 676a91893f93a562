// `whinchat vad FILE`
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace whinchat::cli {

// Adds the subcommand to `app`; the result runs it after parsing and returns the exit status.
std::function<int()> add_vad(CLI::App& app);

}  // namespace whinchat::cli
