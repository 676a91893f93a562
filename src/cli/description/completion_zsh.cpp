#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/description/command_tree.h"
#include "cli/description/completion.h"

namespace whinchat::cli {
namespace {

std::string zsh_text(const std::string& text) {
  std::string escaped = base::replaced(text, "\\", "\\\\");
  for (const std::string_view special : {"[", "]", ":"}) {
    escaped = base::replaced(escaped, special, fmt::format("\\{}", special));
  }
  return escaped;
}

std::string zsh_values(const Argument& argument) {
  const std::string words = base::join(choices(argument), " ");
  std::string action = " ";
  if (!words.empty()) action = fmt::format("({})", words);
  if (takes_files(argument)) action = "_files";
  if (takes_folders(argument)) action = "_files -/";
  return fmt::format(":{}:{}", zsh_text(argument.value), action);
}

std::string zsh_spec(const std::string& spec) {
  return fmt::format(" \\\n    {}", shell_quoted(spec));
}

std::string zsh_argument(const Argument& argument) {
  if (argument.is_positional) {
    return zsh_spec(fmt::format("{}{}", argument.takes_many ? "*" : "", zsh_values(argument)));
  }
  std::string specs;
  for (const std::string& name : argument.names) {
    std::string spec = fmt::format("({}){}", base::join(argument.names, " "), name);
    if (!argument.value.empty()) spec += name.starts_with("--") ? "=" : "+";
    spec += fmt::format("[{}]", zsh_text(argument.description));
    if (!argument.value.empty()) spec += zsh_values(argument);
    specs += zsh_spec(spec);
  }
  return specs;
}

std::string zsh_function_name(const Command& command) {
  return fmt::format("_{}", base::replaced(command.path, " ", "_"));
}

std::string zsh_function(const Command& command) {
  std::string arguments;
  for (const Argument& argument : command.arguments) arguments += zsh_argument(argument);
  const std::string name = zsh_function_name(command);
  if (command.commands.empty()) {
    return name + "() {\n  _arguments -s -S" + arguments + "\n}\n\n";
  }
  std::string commands;
  std::string cases;
  for (const Command& below : command.commands) {
    const std::string described = fmt::format("{}:{}", below.name, zsh_text(below.description));
    commands += fmt::format(" {}", shell_quoted(described));
    cases += fmt::format("        {}) {} && result=0 ;;\n", below.name, zsh_function_name(below));
  }
  return fmt::format(R"({}() {{
  local curcontext=$curcontext state line result=1
  local -a commands=({})
  typeset -A opt_args
  _arguments -C -s -S{} \
    '1: :->command' '*:: :->rest' && result=0
  case $state in
    command) _describe command commands && result=0 ;;
    rest)
      case $line[1] in
{}      esac
      ;;
  esac
  return result
}}

)",
                     name, commands, arguments, cases);
}

}  // namespace

std::string zsh_completion(const Command& program) {
  std::string script =
      fmt::format("#compdef {0}\n# Written by: {0} completion zsh\n\n", program.name);
  for (const Command* command : with_subcommands(program)) script += zsh_function(*command);
  // Loaded by name this is the function's own body; read by `source` it has to be made known.
  return script +
         fmt::format(
             "if [[ $funcstack[1] == _{0} ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
             program.name);
}

}  // namespace whinchat::cli
