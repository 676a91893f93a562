#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/description/command_tree.h"
#include "cli/description/completion.h"

namespace whinchat::cli {
namespace {

std::string bash_values(const Argument& argument) {
  if (takes_files(argument)) return "return";
  if (takes_folders(argument)) return "compopt -o dirnames +o default +o bashdefault; return";
  return "compopt +o default +o bashdefault; COMPREPLY=($(compgen -W " +
         shell_quoted(base::join(choices(argument), " ")) + " -- \"$word\")); return";
}

std::string bash_options(const Command& command) {
  std::string cases;
  for (const Argument& argument : command.arguments) {
    if (argument.is_positional || argument.value.empty()) continue;
    std::vector<std::string> patterns;
    std::ranges::transform(argument.names, std::back_inserter(patterns), [&](const auto& name) {
      return shell_quoted(command.path + " " + name);
    });
    cases += "    " + base::join(patterns, " | ") + ") " + bash_values(argument) + " ;;\n";
  }
  return cases;
}

std::string bash_words(const Command& command) {
  std::vector<std::string> options;
  for (const Argument& argument : command.arguments) {
    if (!argument.is_positional) options.push_back(base::join(argument.names, " "));
  }
  std::vector<std::string> words = names_of(command.commands);
  const Argument* own = positional(command);
  if (own != nullptr) words = choices(*own);
  std::string line = "    " + shell_quoted(command.path) +
                     ") options=" + shell_quoted(base::join(options, " ")) +
                     " words=" + shell_quoted(base::join(words, " "));
  if (own == nullptr || !takes_files(*own)) line += " files=no";
  if (own != nullptr && takes_folders(*own)) line += " files=folders";
  return line + " ;;\n";
}

}  // namespace

std::string bash_completion(const Command& program) {
  std::vector<std::string> paths;
  std::string values;
  std::string words;
  for (const Command* command : with_subcommands(program)) {
    if (command != &program) paths.push_back(shell_quoted(command->path));
    values += bash_options(*command);
    words += bash_words(*command);
  }
  return fmt::format(R"(# bash completion for {0}, written by: {0} completion bash
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path={0} options= words= files= i
  # --name=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {1}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$path $before" in
{2}  esac
  case "$path" in
{3}  esac
  [[ $word != -* ]] || words=$options files=no
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case $files in
    no) compopt +o default +o bashdefault ;;
    folders) compopt -o dirnames +o default +o bashdefault ;;
  esac
}}
complete -o bashdefault -o default -F _{0} {0}
)",
                     program.name, base::join(paths, " | "), values, words);
}

}  // namespace whinchat::cli
