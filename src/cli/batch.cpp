#include "cli/batch.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "cli/fetch.h"
#include "cli/files/inputs.h"
#include "cli/files/output_files.h"
#include "cli/interrupt.h"
#include "cli/options/format_options.h"
#include "cli/screen/event_log.h"
#include "cli/screen/progress.h"
#include "cli/screen/screen_text.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

// An input such as talk.txt would be lost where the words are to go.
void require_no_input(const fs::path& output, const std::string& input) {
  std::error_code ignored;
  if (!fs::equivalent(output, input, ignored)) return;
  base::fail(ErrorKind::BadInput, "the words would overwrite the recording: {}", output.string());
}

// "12 files: 10 done, 1 failed, 1 skipped"
std::string summary_line(const Tally& tally) {
  std::string line = fmt::format("{} files: {} done", tally.files, tally.done);
  if (tally.failed > 0) line += fmt::format(", {} failed", tally.failed);
  if (tally.skipped > 0) line += fmt::format(", {} skipped", tally.skipped);
  if (tally.not_begun() > 0) line += fmt::format(", {} not begun", tally.not_begun());
  return line;
}

std::string label_of(const std::string& file) { return file == "-" ? "standard input" : file; }

class Batch {
 public:
  explicit Batch(const BatchRequest& request)
      : request_(request),
        interrupt_(request.quiet),
        progress_(std::cerr, request.quiet),
        events_(request.json_progress),
        stems_(output_stems(request.files, request.place)),
        colors_(request.output.colors && takes_colors()) {}

  int run(const Inputs& inputs);

 private:
  void report(const Inputs& inputs);
  void find_existing();
  void begin(size_t index);
  void skip(size_t index);
  void transcribe_all(Transcriber& transcriber);
  void transcribe(Transcriber& transcriber, size_t index);
  TranscribeCallbacks callbacks(size_t index);
  void deliver(const Transcription& result, size_t index);
  std::vector<fs::path> outputs(size_t index) const;
  int finish();
  void report_profile(const Profile& profile);
  void print_heading(size_t index);
  void print(const std::string& text);
  bool streams_text() const {
    return request_.place.is_file() ? request_.verbose
                                    : request_.output.formats.front() == Format::Txt;
  }

  const BatchRequest& request_;
  const Interrupt interrupt_;  // first of all that may start a thread
  Progress progress_;
  EventLog events_;
  std::vector<fs::path> stems_;  // of each file's outputs
  bool colors_;
  std::vector<bool> is_skipped_;
  Tally tally_;
  double done_s_ = 0;             // of the file in hand
  std::optional<size_t> headed_;  // the file whose words are being printed
};

std::vector<fs::path> Batch::outputs(size_t index) const {
  std::vector<fs::path> outputs;
  if (!request_.place.is_file()) return outputs;
  for (const Format format : request_.output.formats) {
    outputs.emplace_back(stems_[index].string() + extension_of(format));
  }
  return outputs;
}

// Throws at once where nobody takes the words: the rest of a long file would be in vain.
void Batch::print(const std::string& text) {
  progress_.clear();
  std::cout << text;
  flush_standard_output();
}

void Batch::print_heading(size_t index) {
  if (request_.files.size() == 1 || headed_ == index) return;
  print((headed_ ? "\n==> " : "==> ") + printable(label_of(request_.files[index])) + " <==\n");
  headed_ = index;
}

void Batch::deliver(const Transcription& result, size_t index) {
  const std::vector<Format>& formats = request_.output.formats;
  const auto document = [&](Format format) {
    WriterOptions writer = request_.output.writer;
    const bool is_one_of_many = !request_.place.is_file() && request_.files.size() > 1;
    if (is_one_of_many || format == Format::JsonFull) writer.file = request_.files[index];
    return format_transcription(result, format, writer);
  };
  if (request_.place.is_file()) {
    const std::vector<fs::path> outputs = this->outputs(index);
    for (size_t i = 0; i < outputs.size(); ++i) {
      require_no_input(outputs[i], request_.files[index]);
      write_file(outputs[i], document(formats[i]));
    }
  } else if (streams_text()) {
    print_heading(index);  // a file without words has none yet
  } else {
    print(document(formats.front()));
  }
}

void Batch::report_profile(const Profile& profile) {
  progress_.clear();
  std::cerr << format_profile(profile);
  write_file(request_.profile, format_chrome_trace(profile));
}

void Batch::begin(size_t index) {
  const std::string& file = request_.files[index];
  const size_t count = request_.files.size();
  progress_.start(label_of(file), count > 1 ? fmt::format("file {} of {}", index + 1, count) : "");
  events_.begin(file, index + 1, count);
}

void Batch::skip(size_t index) {
  begin(index);
  ++tally_.skipped;
  events_.skipped(outputs(index));
}

TranscribeCallbacks Batch::callbacks(size_t index) {
  TranscribeCallbacks callbacks{.stop = interrupt_.token()};
  callbacks.on_progress = [this](double done_s, double total_s) {
    done_s_ = done_s;
    progress_.show(done_s, total_s);
    events_.progress(done_s, total_s);
  };
  callbacks.on_language = [this](const std::string& language, double probability) {
    events_.language(language, probability);
  };
  callbacks.on_segment = [this, index](const Segment& segment) {
    events_.segment(segment);
    if (!streams_text()) return;
    const std::string line = colors_ ? format_colored_segment(segment) : format_segment(segment);
    if (line.empty()) return;
    print_heading(index);
    print(line);
  };
  return callbacks;
}

void Batch::transcribe(Transcriber& transcriber, size_t index) {
  const std::string& file = request_.files[index];
  done_s_ = 0;
  const TranscribeCallbacks callbacks = this->callbacks(index);
  const Transcription result =
      request_.align ? transcriber.align(file, *request_.align, request_.options, callbacks)
                     : transcriber.transcribe(file, request_.options, callbacks);
  const bool is_part = result.cancelled || !request_.options.clip_timestamps.empty();
  const double elapsed_s = progress_.elapsed_s();
  progress_.finish(is_part ? done_s_ : result.duration_s);
  if (!request_.profile.empty()) report_profile(transcriber.profile());
  for (const std::string& warning : result.warnings) progress_.note("warning: " + warning);
  if (result.cancelled) {
    progress_.note(
        fmt::format("interrupted: {:.1f} s of {:.1f} s transcribed", done_s_, result.duration_s));
  }
  // Where nothing was heard yet there is no file that says so.
  const bool is_delivered = !result.cancelled || done_s_ > 0;
  if (is_delivered) deliver(result, index);
  events_.done(result, elapsed_s, is_delivered ? outputs(index) : std::vector<fs::path>());
  ++tally_.done;
}

void Batch::report(const Inputs& inputs) {
  if (inputs.passed_over > 0) progress_.remark(passed_over_sentence(inputs.passed_over));
  for (const std::string& failure : inputs.failures) {
    progress_.note(failure);
    events_.failed_at_all(failure);
  }
  tally_.failed = inputs.failures.size();
  tally_.files = request_.files.size() + tally_.failed;
}

void Batch::find_existing() {
  is_skipped_.resize(request_.files.size());
  if (!request_.skip_existing) return;
  for (size_t i = 0; i < is_skipped_.size(); ++i) {
    is_skipped_[i] = std::ranges::all_of(outputs(i), [](const fs::path& output) {
      std::error_code ignored;
      return fs::is_regular_file(output, ignored);
    });
  }
}

int Batch::run(const Inputs& inputs) {
  report(inputs);
  find_existing();
  if (std::ranges::find(is_skipped_, false) == is_skipped_.end()) {  // no model is needed
    for (size_t i = 0; i < is_skipped_.size(); ++i) skip(i);
    return finish();
  }
  if (!request_.place.folder.empty()) make_folder(request_.place.folder);
  try {
    auto transcriber = open_shown(request_.model, request_.options, interrupt_.token(), progress_);
    if (transcriber) transcribe_all(*transcriber);
  } catch (const std::exception& error) {
    if (std::cout) events_.failed_at_all(error.what());
    throw;
  }
  return finish();
}

int Batch::finish() {
  int status = tally_.failed > 0 ? 1 : 0;
  if (interrupt_.is_requested()) status = interrupt_.status();
  if (tally_.files > 1) progress_.say(summary_line(tally_));
  events_.summary(tally_, status);
  return status;
}

void Batch::transcribe_all(Transcriber& transcriber) {
  for (size_t i = 0; i < request_.files.size(); ++i) {
    if (interrupt_.is_requested()) {
      progress_.clear();
      std::cerr << fmt::format("whinchat: interrupted: {} of {} files not begun\n",
                               request_.files.size() - i, request_.files.size());
      break;
    }
    if (is_skipped_[i]) {
      skip(i);
      continue;
    }
    try {
      begin(i);
      transcribe(transcriber, i);
    } catch (const std::exception& error) {
      if (!std::cout) throw;
      progress_.note(error.what());
      events_.failed(error.what());
      ++tally_.failed;
    }
  }
}

}  // namespace

int transcribe_files(const BatchRequest& request, const Inputs& inputs) {
  return Batch(request).run(inputs);
}

}  // namespace whinchat::cli
