#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/description/command_tree.h"
#include "cli/description/completion.h"

namespace whinchat::cli {
namespace {

// Holds where the words so far name this command and none below it.
std::string fish_condition(const Command& command) {
  std::vector<std::string> parts;
  const std::vector<std::string> path = CLI::detail::split(command.path, ' ');
  for (size_t i = 1; i < path.size(); ++i) {
    parts.push_back("__fish_seen_subcommand_from " + path[i]);
  }
  if (!command.commands.empty()) {
    parts.push_back("not __fish_seen_subcommand_from " +
                    base::join(names_of(command.commands), " "));
  }
  return base::join(parts, "; and ");
}

std::string fish_values(const Argument& argument) {
  if (argument.value.empty()) return "";
  if (takes_files(argument)) return " -r -F";
  if (takes_folders(argument)) return " -x -a '(__fish_complete_directories)'";
  const std::string words = base::join(choices(argument), " ");
  return words.empty() ? " -x" : " -x -a " + shell_quoted(words);
}

std::string fish_lines(const Command& command, const std::string& program) {
  const std::string start =
      "complete -c " + program + " -n " + shell_quoted(fish_condition(command)) + " ";
  const Argument* own = positional(command);
  std::string lines;
  if (own == nullptr || !takes_files(*own)) lines += start + "-f\n";
  if (own != nullptr && !takes_files(*own)) lines += start + fish_values(*own).substr(1) + "\n";
  for (const Command& below : command.commands) {
    lines += start + "-a " + below.name + " -d " + shell_quoted(below.description) + "\n";
  }
  for (const Argument& argument : command.arguments) {
    if (argument.is_positional) continue;
    std::string names;
    for (const std::string& name : argument.names) {
      names += name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1);
      names += ' ';
    }
    lines +=
        start + names + "-d " + shell_quoted(argument.description) + fish_values(argument) + "\n";
  }
  return lines;
}

}  // namespace

std::string fish_completion(const Command& program) {
  std::string script = fmt::format("# Written by: {} completion fish\n", program.name);
  for (const Command* command : with_subcommands(program)) {
    script += fish_lines(*command, program.name);
  }
  return script;
}

}  // namespace whinchat::cli
