#include "cli/transcribe.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "cli/batch/batch.h"
#include "cli/files/inputs.h"
#include "cli/files/output_files.h"
#include "cli/options/format_options.h"
#include "cli/options/speech_options.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

struct Request {
  InputOptions named;
  BatchRequest batch;
};

// The text to align, from where it is.
void take_text(BatchRequest& request) {
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

// What the subtitles are made of.
void take_words(const CLI::App& command, TranscribeOptions& options) {
  constexpr const char* kName = "--word-timestamps";
  if (command.count(kName) > 0 && !options.word_timestamps) {
    base::fail(ErrorKind::BadInput, "these subtitles are made of words: expected no {}=false",
               kName);
  }
  options.word_timestamps = true;
}

void add_output_options(CLI::App& command, BatchRequest& request) {
  CLI::Option* folder =
      command.add_option("-o,--output-dir", request.place.folder, "Files go here, one an input")
          ->type_name("FOLDER");
  command
      .add_option("--output-name", request.place.names,
                  "A file's name without its extension; one an input")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_flag("--output-beside", request.place.is_beside,
                "Files go beside each input: talk.mp3.txt")
      ->excludes(folder);
  command.add_flag("--verbose", request.verbose, "The words on standard output beside files too");
  CLI::Option* skip = command.add_flag("--skip-existing", request.skip_existing,
                                       "Leave out an input whose files are there");
  command
      .add_option("--journal", request.journal, "What is done: a killed run goes on where it was")
      ->type_name("FILE")
      ->excludes(skip);
}

void add_progress_options(CLI::App& command, BatchRequest& request) {
  command
      .add_option("--profile", request.profile,
                  "A table of time by operation; a trace in this file")
      ->type_name("FILE");
  command.add_flag("-q,--quiet", request.quiet, "No progress on standard error");
  command
      .add_option("--json-progress", request.json_progress,
                  "What happens, a JSON object a line, into this file")
      ->type_name("FILE");
}

void add_options(CLI::App& command, Request& request) {
  BatchRequest& batch = request.batch;
  const auto begin_part = [&](const char* title) { command.option_defaults()->group(title); };
  begin_part("Input and model");
  add_input_options(command, request.named, batch.model);
  begin_part("What is heard");
  add_speech_options(command, batch.options);
  begin_part("Silence");
  add_vad_options(command, batch.options);
  begin_part("What the model is told");
  add_prompt_options(command, batch.options);
  begin_part("Search, and what is tried again");
  add_decoding_options(command, batch.options);
  begin_part("Times of words");
  add_word_options(command, batch.options);
  command.add_option("--align", batch.align, "Time this text, or @FILE's, which is said")
      ->type_name("TEXT");
  begin_part("Constraints on tokens");
  add_constraint_options(command, batch.options);
  begin_part("Machine");
  add_machine_options(command, batch.model);
  begin_part("Output");
  add_format_options(command, batch.output);
  add_output_options(command, batch);
  begin_part("Progress");
  add_progress_options(command, batch);
}

// Throws Error{BadInput} for options that mean nothing together.
void check(const BatchRequest& request) {
  check_formats(request.output);
  if (request.options.split_channels && (request.align || !request.profile.empty())) {
    base::fail(ErrorKind::BadInput, "{} is of one channel: expected no --channel split with it",
               request.align ? "--align" : "--profile");
  }
  if (request.skip_existing && !request.place.is_file()) {
    base::fail(ErrorKind::BadInput, "--skip-existing needs --output-dir or another place of files");
  }
  if (!request.journal.empty() && !request.place.is_file()) {
    base::fail(ErrorKind::BadInput, "--journal needs --output-dir or another place of files");
  }
  const bool is_text = request.output.formats.front() == Format::Txt;
  if (request.output.colors && (request.place.is_file() || !is_text)) {
    base::fail(ErrorKind::BadInput, "print-colors: expected text on standard output");
  }
}

}  // namespace

std::function<int()> add_transcribe(CLI::App& app) {
  const auto given = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("transcribe", "Turn the speech of files into text");
  add_options(*command, *given);
  return [given, command] {
    BatchRequest& request = given->batch;
    check(request);
    if (request.output.writer.needs_words()) take_words(*command, request.options);
    const Inputs inputs = find_inputs(given->named);
    request.files = inputs.files;
    const bool hears_standard_input = std::ranges::find(request.files, "-") != request.files.end();
    if (!request.journal.empty() && hears_standard_input) {
      base::fail(ErrorKind::BadInput,
                 "--journal: expected files alone, since standard input cannot be heard again");
    }
    if (!request.place.is_file()) check_standard_output(request.output, request.files.size());
    if (request.align) take_text(request);
    request.output.writer.used = given_options(*command);
    if (command->count("--model") == 0) {
      request.output.writer.used.emplace_back("model", request.model.model);
    }
    request.model.profile = !request.profile.empty();
    return transcribe_files(request, inputs);
  };
}

}  // namespace whinchat::cli
