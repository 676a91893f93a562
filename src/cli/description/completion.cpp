#include "cli/description/completion.h"

#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/description/command_tree.h"
#include "cli/options/choice.h"
#include "whinchat/option_values.h"

namespace whinchat::cli {
namespace {

enum class Shell { Bash, Zsh, Fish };

constexpr auto kShells = std::to_array<Named<Shell>>(
    {{"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}});

std::string completion(const Command& program, Shell shell) {
  if (shell == Shell::Bash) return bash_completion(program);
  return shell == Shell::Zsh ? zsh_completion(program) : fish_completion(program);
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  return fmt::format("'{}'", base::replaced(text, "'", R"('\'')"));
}

std::function<int()> add_completion(CLI::App& app) {
  const auto shell = std::make_shared<Shell>();
  CLI::App* command =
      app.add_subcommand("completion", "Print what makes a shell complete these commands");
  add_choice(*command, "SHELL", *shell, kShells, "The shell that reads it")->required();
  return [&app, shell] {
    std::cout << completion(command_tree(app), *shell);
    return 0;
  };
}

}  // namespace whinchat::cli
