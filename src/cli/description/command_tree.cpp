#include "cli/description/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace whinchat::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  if (!option.nonpositional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

Argument argument_of(const CLI::Option& option) {
  Argument argument{.names = names_of(option),
                    .description = option.get_description(),
                    .default_value = option.get_default_str(),
                    .is_positional = !option.nonpositional(),
                    .is_required = option.get_required(),
                    .takes_many = option.get_items_expected_max() > 1};
  if (option.get_items_expected_max() > 0) {
    argument.value = option.get_type_name();
    if (argument.value.empty()) argument.value = argument.names.back();
  }
  return argument;
}

Command command_of(const CLI::App& app, const std::string& parent) {
  Command command{.path = parent + app.get_name(),
                  .name = app.get_name(),
                  .description = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) command.arguments.push_back(argument_of(*option));
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!below->get_group().empty()) {
      command.commands.push_back(command_of(*below, command.path + " "));
    }
  }
  return command;
}

}  // namespace

Command command_tree(const CLI::App& app) { return command_of(app, ""); }

std::vector<const Command*> with_subcommands(const Command& top) {
  std::vector<const Command*> all{&top};
  for (const Command& command : top.commands) {
    std::ranges::copy(with_subcommands(command), std::back_inserter(all));
  }
  return all;
}

bool takes_files(const Argument& argument) { return argument.value.starts_with("FILE"); }

bool takes_folders(const Argument& argument) {
  return argument.value == "FOLDER" || argument.value == "MODEL";
}

std::vector<std::string> choices(const Argument& argument) {
  if (argument.value.find('|') == std::string::npos) return {};
  return CLI::detail::split(argument.value, '|');
}

const Argument* positional(const Command& command) {
  const auto found = std::ranges::find_if(command.arguments, &Argument::is_positional);
  return found == command.arguments.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  std::ranges::transform(commands, std::back_inserter(names), &Command::name);
  return names;
}

}  // namespace whinchat::cli
