// The command line's own description of itself, as plain data: what completion and the man page are
// made from, so that neither can name an option that is not there.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace whinchat::cli {

struct Argument {
  std::vector<std::string> names;  // -f, --output-format; a positional has one name, without dashes
  std::string value;               // as help shows it: FILE, N, json|txt; empty for a flag
  std::string description;
  std::string default_value;  // empty: none is shown
  bool is_positional = false;
  bool is_required = false;
  bool takes_many = false;
};

struct Command {
  std::string path;  // whinchat, whinchat transcribe
  std::string name;  // the last word of path
  std::string description;
  std::vector<Argument> arguments;
  std::vector<Command> commands;
};

// Without what is hidden: commands and options in no group.
Command command_tree(const CLI::App& app);

// `top` and all below it, each before its own commands.
std::vector<const Command*> with_subcommands(const Command& top);

// What its value can be completed with: FILE, files; FOLDER and MODEL, folders; a|b, these words.
bool takes_files(const Argument& argument);
bool takes_folders(const Argument& argument);
std::vector<std::string> choices(const Argument& argument);

// The command's first argument without a name of its own, or null.
const Argument* positional(const Command& command);

std::vector<std::string> names_of(const std::vector<Command>& commands);

}  // namespace whinchat::cli
