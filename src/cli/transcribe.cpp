#include "cli/transcribe.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <exception>
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
#include "cli/options/speech_options.h"
#include "cli/output_files.h"
#include "cli/progress.h"
#include "cli/screen_text.h"
#include "whinchat/option_values.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

struct Request {
  std::vector<std::string> files;
  ModelOptions model;
  TranscribeOptions options;
  Format format = Format::Txt;
  std::optional<std::string> align;  // a text that is said, or @ and the file that holds it
  std::string output_dir;            // empty: standard output
  std::string profile;               // where the trace goes; empty: no profile
  bool quiet = false;
};

std::string extension_of(Format format) { return format == Format::Json ? ".json" : ".txt"; }

// The text to align, from where it is.
void take_text(Request& request) {
  if (request.files.size() > 1) {
    base::fail(ErrorKind::BadInput, "--align takes one FILE, got {}", request.files.size());
  }
  request.options.word_timestamps = true;
  std::string& text = request.align.value();
  if (text.starts_with('@')) text = read_file(text.substr(1));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    base::fail(ErrorKind::BadInput, "--align: expected a text with words, got none");
  }
}

std::string label_of(const std::string& file) { return file == "-" ? "standard input" : file; }

// Transcribes one file after another; a failing one is reported and the others go on.
class Session {
 public:
  explicit Session(const Request& request)
      : request_(request),
        interrupt_(request.quiet),
        progress_(std::cerr, request.quiet),
        output_names_(output_names(request.files, extension_of(request.format))) {}

  int run();

 private:
  int transcribe_all(Transcriber& transcriber);
  void transcribe(Transcriber& transcriber, size_t index);
  void deliver(const Transcription& result, size_t index);
  void report_profile(const Profile& profile);
  void print_heading(size_t index);
  void print(const std::string& text);
  bool streams_text() const {
    return request_.output_dir.empty() && request_.format == Format::Txt;
  }

  const Request& request_;
  const Interrupt interrupt_;  // first of all that may start a thread
  Progress progress_;
  std::vector<std::string> output_names_;
  std::optional<size_t> headed_;  // the file whose words are being printed
};

// Throws at once where nobody takes the words: the rest of a long file would be in vain.
void Session::print(const std::string& text) {
  progress_.clear();
  std::cout << text;
  flush_standard_output();
}

void Session::print_heading(size_t index) {
  if (request_.files.size() == 1 || headed_ == index) return;
  print((headed_ ? "\n==> " : "==> ") + printable(label_of(request_.files[index])) + " <==\n");
  headed_ = index;
}

void Session::deliver(const Transcription& result, size_t index) {
  if (!request_.output_dir.empty()) {
    write_file(std::filesystem::path(request_.output_dir) / output_names_[index],
               format_transcription(result, request_.format));
  } else if (streams_text()) {
    print_heading(index);  // a file without words has none yet
  } else {
    print(format_transcription(result, request_.format));
  }
}

void Session::report_profile(const Profile& profile) {
  progress_.clear();
  std::cerr << format_profile(profile);
  write_file(request_.profile, format_chrome_trace(profile));
}

void Session::transcribe(Transcriber& transcriber, size_t index) {
  const std::string& file = request_.files[index];
  progress_.start(label_of(file));
  double done_s = 0;
  TranscribeCallbacks callbacks{.stop = interrupt_.token()};
  callbacks.on_progress = [&](double now_s, double total_s) {
    done_s = now_s;
    progress_.show(now_s, total_s);
  };
  if (streams_text()) {
    callbacks.on_segment = [&](const Segment& segment) {
      const std::string line = format_segment(segment);
      if (line.empty()) return;
      print_heading(index);
      print(line);
    };
  }
  const Transcription result =
      request_.align ? transcriber.align(file, *request_.align, request_.options, callbacks)
                     : transcriber.transcribe(file, request_.options, callbacks);
  const bool is_part = result.cancelled || !request_.options.clip_timestamps.empty();
  progress_.finish(is_part ? done_s : result.duration_s);
  if (!request_.profile.empty()) report_profile(transcriber.profile());
  for (const std::string& warning : result.warnings) progress_.note("warning: " + warning);
  if (result.cancelled) {
    progress_.note(
        fmt::format("interrupted: {:.1f} s of {:.1f} s transcribed", done_s, result.duration_s));
    // Nothing was heard yet: no file that says so.
    if (done_s == 0) return;
  }
  deliver(result, index);
}

int Session::run() {
  if (!request_.output_dir.empty()) make_folder(request_.output_dir);
  auto transcriber = open_shown(request_.model, request_.options, interrupt_.token(), progress_);
  if (!transcriber) return interrupt_.status();
  const int status = transcribe_all(*transcriber);
  return interrupt_.is_requested() ? interrupt_.status() : status;
}

int Session::transcribe_all(Transcriber& transcriber) {
  int status = 0;
  for (size_t i = 0; i < request_.files.size(); ++i) {
    if (interrupt_.is_requested()) {
      progress_.clear();
      std::cerr << fmt::format("whinchat: interrupted: {} of {} files not begun\n",
                               request_.files.size() - i, request_.files.size());
      break;
    }
    try {
      transcribe(transcriber, i);
    } catch (const std::exception& error) {
      if (!std::cout) throw;
      progress_.note(error.what());
      status = 1;
    }
  }
  return status;
}

}  // namespace

std::function<int()> add_transcribe(CLI::App& app) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("transcribe", "Turn the speech of files into text");
  add_input_options(*command, request->files, request->model);
  add_speech_options(*command, request->options);
  add_prompt_options(*command, request->options);
  add_decoding_options(*command, request->options);
  add_word_options(*command, request->options);
  command->add_option("--align", request->align, "Time this text, or @FILE's, which is said")
      ->type_name("TEXT");
  add_constraint_options(*command, request->options);
  add_machine_options(*command, request->model);
  add_choice(*command, "-f,--output-format", request->format, kFormats, "txt is the default");
  command->add_option("-o,--output-dir", request->output_dir, "A file for each input goes here")
      ->type_name("FOLDER");
  command
      ->add_option("--profile", request->profile,
                   "A table of time by operation; a trace in this file")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", request->quiet, "No progress on standard error");
  return [request] {
    if (request->align) take_text(*request);
    request->model.profile = !request->profile.empty();
    return Session(*request).run();
  };
}

}  // namespace whinchat::cli
