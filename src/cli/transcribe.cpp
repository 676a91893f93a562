#include "cli/transcribe.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/output_files.h"
#include "cli/progress.h"
#include "whinchat/error.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

struct Request {
  std::vector<std::string> files;
  ModelOptions model;
  TranscribeOptions options;
  Format format = Format::txt;
  std::string output_dir;  // empty: standard output
  bool quiet = false;
};

std::string extension_of(Format format) { return format == Format::json ? ".json" : ".txt"; }

// Transcribes one file after another; a failing one is reported and the others go on.
class Session {
 public:
  explicit Session(const Request& request)
      : request_(request),
        progress_(std::cerr, request.quiet),
        output_names_(output_names(request.files, extension_of(request.format))) {}

  int run();

 private:
  void transcribe(Transcriber& transcriber, size_t index);
  void print_segment(const std::string& line);

  const Request& request_;
  Progress progress_;
  std::vector<std::string> output_names_;
};

void Session::print_segment(const std::string& line) {
  if (line.empty()) return;
  progress_.clear();
  std::cout << line << std::flush;
}

void Session::transcribe(Transcriber& transcriber, size_t index) {
  const std::string& file = request_.files[index];
  const bool to_files = !request_.output_dir.empty();
  const bool streams_text = !to_files && request_.format == Format::txt;
  if (!to_files && request_.files.size() > 1 && streams_text) {
    print_segment((index > 0 ? "\n==> " : "==> ") + file + " <==\n");
  }
  progress_.start(file);
  TranscribeCallbacks callbacks;
  callbacks.on_progress = [&](double done_s, double total_s) { progress_.show(done_s, total_s); };
  if (streams_text) {
    callbacks.on_segment = [&](const Segment& segment) { print_segment(format_segment(segment)); };
  }
  const Transcription result = transcriber.transcribe(file, request_.options, callbacks);
  progress_.finish(result.duration_s);
  for (const std::string& warning : result.warnings) progress_.note("warning: " + warning);
  if (to_files) {
    write_file(std::filesystem::path(request_.output_dir) / output_names_[index],
               format_transcription(result, request_.format));
  } else if (!streams_text) {
    std::cout << format_transcription(result, request_.format) << std::flush;
  }
}

int Session::run() {
  if (!request_.output_dir.empty()) make_folder(request_.output_dir);
  progress_.start("loading the model " + request_.model.model);
  Transcriber transcriber(request_.model);
  transcriber.check(request_.options);
  int status = 0;
  for (size_t i = 0; i < request_.files.size(); ++i) {
    try {
      transcribe(transcriber, i);
    } catch (const Error& error) {
      progress_.note(error.what());
      status = 1;
    }
    if (!std::cout) base::fail(ErrorKind::Internal, "standard output cannot be written");
  }
  progress_.clear();
  return status;
}

}  // namespace

std::function<int()> add_transcribe(CLI::App& app) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("transcribe", "Turn the speech of files into text");
  command->add_option("FILE", request->files, "Audio or video files; - is standard input")
      ->required();
  command->add_option("--model", request->model.model, "A model's name, or its folder")
      ->capture_default_str();
  command->add_option("--language", request->options.language,
                      "Code or English name; detected when not given");
  const std::map<std::string, Task> tasks{{"transcribe", Task::transcribe},
                                          {"translate", Task::translate}};
  command->add_option("--task", request->options.task, "transcribe, or translate into English")
      ->transform(CLI::CheckedTransformer(tasks, CLI::ignore_case).description(""));
  const std::map<std::string, Format> formats{{"txt", Format::txt}, {"json", Format::json}};
  command->add_option("-f,--output-format", request->format, "txt or json")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case).description(""));
  command->add_option("-o,--output-dir", request->output_dir,
                      "Write a file for each input into this folder");
  command->add_option("--channel", request->options.channel,
                      "Hear one channel, counted from 1; all are averaged otherwise");
  const std::map<std::string, Compute> types{{"f32", Compute::f32}, {"f16", Compute::f16}};
  command->add_option("--compute", request->model.compute, "Type of weights and activations: f32, f16")
      ->transform(CLI::CheckedTransformer(types, CLI::ignore_case).description(""));
  command->add_option("--threads", request->model.threads, "Threads; 0 is one for each usable core")
      ->check(CLI::Range(0, 1024));
  command->add_option("--condition-on-previous-text",
                      request->options.condition_on_previous_text,
                      "Give earlier text to the next window: true or false")
      ->capture_default_str();
  command->add_option("--no-speech-threshold", request->options.no_speech_threshold,
                      "A window is silent above this no-speech probability …")
      ->capture_default_str();
  command->add_option("--logprob-threshold", request->options.logprob_threshold,
                      "… when its mean log-probability is not above this")
      ->capture_default_str();
  command->add_flag("-q,--quiet", request->quiet, "No progress on standard error");
  return [request] { return Session(*request).run(); };
}

}  // namespace whinchat::cli
