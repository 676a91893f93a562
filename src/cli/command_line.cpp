#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "cli/completion.h"
#include "cli/manual.h"
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

}  // namespace

std::string normalized_option(const std::string& argument) {
  if (!argument.starts_with("--")) return argument;
  std::string normalized = argument;
  const auto value = std::ranges::find(normalized, '=');
  std::replace(normalized.begin() + 2, value, '_', '-');
  return normalized;
}

int run(std::vector<std::string> args) {
  CLI::App app("Speech to text on this machine, exact and native.", "whinchat");
  app.failure_message([](const CLI::App* /*app*/, const CLI::Error& error) {
    return "whinchat: " + printable(error.what()) + "\nRun it with --help for what there is.\n";
  });
  bool version = false;
  app.add_flag("--version", version, "Show the versions of whinchat, MLX and the BLAS in use");
  const std::map<std::string, std::function<int()>> commands{{"transcribe", add_transcribe(app)},
                                                             {"model", add_model(app)},
                                                             {"completion", add_completion(app)},
                                                             {"man", add_manual(app)}};

  // CLI11 takes the arguments without the program, last first. What follows "--" is no option.
  const auto options_end = std::find(args.begin(), args.end(), "--");
  std::transform(args.begin(), options_end, args.begin(), normalized_option);
  std::vector<std::string> reversed(args.rbegin(), args.rend() - 1);
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
