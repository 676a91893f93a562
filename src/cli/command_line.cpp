#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/description/completion.h"
#include "cli/description/manual.h"
#include "cli/detect_language.h"
#include "cli/files/media_files.h"
#include "cli/model.h"
#include "cli/options/other_names.h"
#include "cli/options/translation.h"
#include "cli/screen/screen_text.h"
#include "cli/suggestion.h"
#include "cli/transcribe.h"
#include "cli/vad.h"
#include "whinchat/error.h"
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

// Of a command that has other programs' options too, with what is to be said of them.
std::vector<std::string> with_our_options(const CLI::App& app, std::vector<std::string> args) {
  const bool is_speech =
      args.size() > 1 && (args[1] == "transcribe" || args[1] == "detect-language");
  if (!is_speech) return args;
  Translation translation = translated(*app.get_subcommand(args[1]), std::span(args).subspan(2));
  for (const std::string& remark : translation.remarks) {
    std::cerr << "whinchat: " << printable(remark) << '\n';
  }
  args.resize(2);
  std::ranges::move(translation.arguments, std::back_inserter(args));
  return args;
}

std::function<int()> add_names(CLI::App& app) {
  app.add_subcommand("names", "Print what other programs' options are here");
  return [] {
    std::cout << other_names_table();
    return 0;
  };
}

// A first word that is no command.
void require_command(const CLI::App& app, const std::vector<std::string>& args) {
  if (args.size() < 2 || args[1].starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* /*any*/) { return true; })) {
    if (command->get_name() == args[1]) return;
    names.push_back(command->get_name());
  }
  std::error_code ignored;
  if (has_media_extension(args[1]) || std::filesystem::exists(args[1], ignored)) {
    base::fail(ErrorKind::BadInput, "expected a command before {}: whinchat transcribe {}", args[1],
               args[1]);
  }
  base::fail(ErrorKind::BadInput, "there is no command {}{}", args[1],
             did_you_mean(args[1], names));
}

// What the parser takes: without the program, last first. What follows "--" is no option.
std::vector<std::string> prepared(const CLI::App& app, std::vector<std::string> args) {
  require_command(app, args);
  const auto options_end = std::ranges::find(args, "--");
  std::vector<std::string> options(args.begin(), options_end);
  std::ranges::transform(options, options.begin(), normalized_option);
  options = with_joined_flags(app, with_our_options(app, std::move(options)));
  options.insert(options.end(), options_end, args.end());
  return {options.rbegin(), options.rend() - 1};
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
    const bool is_value =
        argument == "True" || argument == "False" || argument == "true" || argument == "false";
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
      {"vad", add_vad(app)},
      {"model", add_model(app)},
      {"names", add_names(app)},
      {"completion", add_completion(app)},
      {"man", add_manual(app)}};

  try {
    app.parse(prepared(app, std::move(args)));
  } catch (const CLI::ParseError& error) {
    // Help is asked for and goes to standard output; everything else is wrong usage.
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    std::cerr << "whinchat: " << printable(error.what()) << '\n';
    return 2;
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
