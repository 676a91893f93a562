#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/description/completion.h"
#include "cli/description/manual.h"
#include "cli/detect_language.h"
#include "cli/model.h"
#include "cli/screen_text.h"
#include "cli/transcribe.h"
#include "whinchat/version.h"

namespace whinchat::cli {
namespace {

void print_version() {
  const VersionInfo info = version_info();
  std::cout << "whinchat " << info.version << "\nMLX " << info.mlx << "\nBLAS " << info.blas << " ("
            << info.blas_library << ")\ninstruction set " << info.instruction_set << '\n';
}

bool is_flag(const CLI::App& app, const std::string& argument) {
  const auto commands = app.get_subcommands([](const CLI::App* /*any*/) { return true; });
  return argument.starts_with("--") && std::ranges::any_of(commands, [&](const CLI::App* command) {
           const CLI::Option* option = command->get_option_no_throw(argument);
           return option != nullptr && option->get_items_expected_max() == 0;
         });
}

}  // namespace

std::string normalized_option(const std::string& argument) {
  if (!argument.starts_with("--")) return argument;
  std::string normalized = argument;
  const auto value = std::ranges::find(normalized, '=');
  std::replace(normalized.begin() + 2, value, '_', '-');
  return normalized;
}

std::vector<std::string> with_joined_flags(const CLI::App& app, std::vector<std::string> args) {
  std::vector<std::string> joined;
  for (std::string& argument : args) {
    const bool is_value = argument == "True" || argument == "False";
    if (is_value && !joined.empty() && is_flag(app, joined.back())) {
      joined.back() += "=" + argument;
    } else {
      joined.push_back(std::move(argument));
    }
  }
  return joined;
}

int run(std::vector<std::string> args) {
  CLI::App app("Speech to text on this machine, exact and native.", "whinchat");
  app.failure_message([](const CLI::App* /*app*/, const CLI::Error& error) {
    return "whinchat: " + printable(error.what()) + "\nRun it with --help for what there is.\n";
  });
  bool version = false;
  app.add_flag("--version", version, "Show the versions of whinchat, MLX and the BLAS in use");
  const std::map<std::string, std::function<int()>> commands{
      {"transcribe", add_transcribe(app)},
      {"detect-language", add_detect_language(app)},
      {"model", add_model(app)},
      {"completion", add_completion(app)},
      {"man", add_manual(app)}};

  // CLI11 takes the arguments without the program, last first. What follows "--" is no option.
  const auto options_end = std::find(args.begin(), args.end(), "--");
  std::vector<std::string> options(args.begin(), options_end);
  std::ranges::transform(options, options.begin(), normalized_option);
  options = with_joined_flags(app, std::move(options));
  options.insert(options.end(), options_end, args.end());
  std::vector<std::string> reversed(options.rbegin(), options.rend() - 1);
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    // Help is asked for and goes to standard output; everything else is wrong usage.
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (version) {
    print_version();
    return 0;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    return 2;
  }
  return commands.at(app.get_subcommands().front()->get_name())();
}

}  // namespace whinchat::cli
