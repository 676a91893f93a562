#include "cli/model.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/fetch.h"
#include "cli/interrupt.h"
#include "cli/options/choice.h"
#include "cli/screen/progress.h"
#include "cli/screen/screen_text.h"
#include "whinchat/models.h"
#include "whinchat/option_values.h"

namespace whinchat::cli {
namespace {

struct Request {
  std::vector<std::string> names;
  bool is_offline = false;
  bool quiet = false;
};

// Columns as wide as their widest cell; the last one as it is.
void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t i = 0; i + 1 < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    std::cout << line << row.back() << '\n';
  }
}

std::string shown_folder(const std::filesystem::path& folder) {
  const char* home = std::getenv("HOME");
  const std::string path = folder.string();
  const std::string start = home == nullptr ? "" : std::string(home) + "/";
  return printable(start.size() > 1 && path.starts_with(start) ? "~/" + path.substr(start.size())
                                                               : path);
}

int list() {
  std::vector<std::vector<std::string>> rows;
  for (const InstalledModel& model : installed_models()) {
    rows.push_back({printable(model.name), size_text(model.disk_bytes),
                    size_text(model.memory_bytes), shown_folder(model.folder)});
  }
  if (rows.empty()) {
    std::cout << "No model is on this machine yet.\n";
  } else {
    rows.insert(rows.begin(), {"On this machine", "disk", "to run", "folder"});
    print_table(rows);
  }
  rows = {{"To be fetched", "about", "from"}};
  for (const KnownModel& model : known_models()) {
    rows.push_back({model.name, size_text(model.bytes), model.repository});
  }
  std::cout << '\n';
  print_table(rows);
  std::cout << "Any other repository of the hub: owner/name, owner/name@revision.\n";
  return 0;
}

int pull(const Request& request) {
  const Interrupt interrupt(request.quiet);  // first of all that may start a thread
  Progress progress(std::cerr, request.quiet);
  for (const std::string& name : request.names) {
    const FetchOptions options{.offline = request.is_offline, .stop = interrupt.token()};
    const auto folder = fetch_shown(name, options, progress);
    if (!folder) return interrupt.status();
    progress.clear();
    std::cout << folder->string() << '\n';
  }
  return 0;
}

int remove(const Request& request) {
  for (const std::string& name : request.names) {
    const uint64_t bytes = remove_model(name);
    std::cout << printable(name) << ": removed, " << size_text(bytes) << " freed\n";
  }
  return 0;
}

int path(const Request& request) {
  for (const std::string& name : request.names) std::cout << find_model(name).string() << '\n';
  return 0;
}

std::string state_text(FileState state) {
  switch (state) {
    case FileState::Ok:
      return "ok";
    case FileState::Wrong:
      return "wrong";
    case FileState::Missing:
      return "missing";
    case FileState::Unknown:
      return "unknown";
  }
  return "";
}

int verify(const Request& request) {
  int status = 0;
  for (const std::string& name : request.names) {
    std::vector<std::vector<std::string>> rows;
    for (const CheckedFile& file : verify_model(name)) {
      rows.push_back({state_text(file.state), printable(file.path)});
      if (file.state == FileState::Wrong || file.state == FileState::Missing) status = 1;
    }
    if (request.names.size() > 1) std::cout << printable(name) << ":\n";
    print_table(rows);
  }
  return status;
}

struct ConvertRequest {
  std::string source;
  std::string destination;
  ConvertOptions options;
  bool is_offline = false;
  bool quiet = false;
};

int convert(ConvertRequest& request) {
  const Interrupt interrupt(request.quiet);  // first of all that may start a thread
  Progress progress(std::cerr, request.quiet);
  const FetchOptions fetching{.offline = request.is_offline, .stop = interrupt.token()};
  const auto folder = fetch_shown(request.source, fetching, progress);
  if (!folder) return interrupt.status();
  uint64_t total_bytes = 0;
  request.options.stop = interrupt.token();
  request.options.on_progress = [&](uint64_t done, uint64_t total) {
    if (total_bytes == 0) progress.start_transfer("writing " + request.destination, 0, total);
    total_bytes = total;
    progress.show_transfer(done, total);
  };
  if (!convert_model(folder->string(), request.destination, request.options)) {
    progress.remark("interrupted: nothing is left of " + request.destination);
    return interrupt.status();
  }
  progress.finish_transfer(total_bytes);
  return 0;
}

void add_convert(CLI::App& model, const std::shared_ptr<std::function<int()>>& action) {
  const auto request = std::make_shared<ConvertRequest>();
  CLI::App* command = model.add_subcommand("convert", "Write a model for other programs");
  command->add_option("SOURCE", request->source, "A model's name, folder or file")
      ->type_name("")
      ->required();
  command->add_option("DESTINATION", request->destination, "The folder to make")
      ->type_name("")
      ->required();
  add_choice(*command, "--format", request->options.format, kModelFormats,
             "For mlx-whisper, or for faster-whisper")
      ->default_str("mlx");
  add_choice(*command, "--dtype", request->options.type, kWeightTypes,
             "The weights' type; 8bit and 4bit are MLX's")
      ->default_str("f16");
  command->add_flag("--offline", request->is_offline, "Fetch nothing: only look on this machine");
  command->add_flag("-q,--quiet", request->quiet, "No progress on standard error");
  command->callback([action, request] { *action = [request] { return convert(*request); }; });
}

}  // namespace

std::function<int()> add_model(CLI::App& app) {
  const auto request = std::make_shared<Request>();
  const auto action = std::make_shared<std::function<int()>>();
  CLI::App* model = app.add_subcommand("model", "List, fetch, check and remove models");
  model->require_subcommand(1);
  model->add_subcommand("list", "The models on this machine, and the names of others")
      ->callback([action] { *action = list; });
  const auto add = [&](const char* name, const char* what, int (*run)(const Request&)) {
    CLI::App* command = model->add_subcommand(name, what);
    command
        ->add_option("MODEL", request->names,
                     "A name that the list shows, or owner/name[@revision]")
        ->type_name("")
        ->required();
    command->callback(
        [action, request, run] { *action = [request, run] { return run(*request); }; });
    return command;
  };
  CLI::App* puller = add("pull", "Fetch models; prints their folders", pull);
  puller->add_flag("--offline", request->is_offline, "Fetch nothing: only look on this machine");
  puller->add_flag("-q,--quiet", request->quiet, "No progress on standard error");
  add("rm", "Remove models from the cache", remove);
  add("path", "Print the folders of models on this machine", path);
  add_convert(*model, action);
  add("verify", "Compare every file with its hash", verify);
  return [action] { return (*action)(); };
}

}  // namespace whinchat::cli
