#include "cli/detect_language.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/fetch.h"
#include "cli/files/inputs.h"
#include "cli/files/output_files.h"
#include "cli/interrupt.h"
#include "cli/options/speech_options.h"
#include "cli/screen/progress.h"
#include "cli/screen/screen_text.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

struct Request {
  InputOptions named;
  ModelOptions model;
  TranscribeOptions options;
  bool all = false;
  bool quiet = false;
};

// A line a file, or a line a language of it: code, probability and name with tabs between them.
void print(const std::vector<LanguageProbability>& languages, const std::string& file, bool all) {
  const size_t count = all ? languages.size() : std::min<size_t>(1, languages.size());
  for (size_t i = 0; i < count; ++i) {
    std::cout << fmt::format("{}\t{:.4f}\t{}\n", languages[i].language, languages[i].probability,
                             printable(file));
  }
  if (languages.empty()) std::cout << fmt::format("-\t0.0000\t{}\n", printable(file));
  flush_standard_output();
}

int run(const Request& request) {
  if (request.options.split_channels) {
    base::fail(ErrorKind::BadInput, "--channel: expected the number of one, got split");
  }
  const Inputs inputs = find_inputs(request.named);
  const Interrupt interrupt(request.quiet);
  Progress progress(std::cerr, request.quiet);
  if (inputs.passed_over > 0) progress.remark(passed_over_sentence(inputs.passed_over));
  for (const std::string& failure : inputs.failures) progress.note(failure);
  int status = inputs.failures.empty() ? 0 : 1;
  if (inputs.files.empty()) return status;
  auto transcriber = open_shown(request.model, request.options, interrupt.token(), progress);
  if (!transcriber) return interrupt.status();
  for (const std::string& file : inputs.files) {
    if (interrupt.is_requested()) return interrupt.status();
    progress.start(file);
    try {
      const auto languages =
          transcriber->detect_language(file, request.options, {.stop = interrupt.token()});
      progress.clear();
      if (!interrupt.is_requested()) print(languages, file, request.all);
    } catch (const std::exception& error) {
      if (!std::cout) throw;
      progress.note(error.what());
      status = 1;
    }
  }
  return interrupt.is_requested() ? interrupt.status() : status;
}

}  // namespace

std::function<int()> add_detect_language(CLI::App& app) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("detect-language", "Say which language files speak");
  add_input_options(*command, request->named, request->model);
  command->add_flag("--all", request->all, "A line for each language, the likeliest first");
  add_detection_options(*command, request->options);
  add_vad_options(*command, request->options);
  add_machine_options(*command, request->model);
  command->add_flag("-q,--quiet", request->quiet, "No progress on standard error");
  return [request] { return run(*request); };
}

}  // namespace whinchat::cli
