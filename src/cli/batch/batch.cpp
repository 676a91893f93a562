#include "cli/batch/batch.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/batch/outputs.h"
#include "cli/batch/report.h"
#include "cli/fetch.h"
#include "cli/files/inputs.h"
#include "cli/files/output_files.h"
#include "cli/interrupt.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

class Batch {
 public:
  explicit Batch(const BatchRequest& request)
      : request_(request),
        interrupt_(request.quiet),
        report_(request),
        outputs_(request, report_.progress()) {}

  int run(const Inputs& inputs);

 private:
  void find_existing();
  void hear_all(Transcriber& transcriber);
  void hear(Transcriber& transcriber, size_t index);
  TranscribeCallbacks callbacks(size_t index);
  void finish(const Transcription& result, size_t index);
  void report_profile(const Profile& profile);
  int summary();

  const BatchRequest& request_;
  const Interrupt interrupt_;  // first of all that may start a thread
  Report report_;
  Outputs outputs_;
  std::vector<bool> is_skipped_;
};

void Batch::report_profile(const Profile& profile) {
  report_.progress().clear();
  std::cerr << format_profile(profile);
  write_file(request_.profile, format_chrome_trace(profile));
}

TranscribeCallbacks Batch::callbacks(size_t index) {
  TranscribeCallbacks callbacks{.stop = interrupt_.token()};
  callbacks.on_progress = [this](double done_s, double total_s) { report_.heard(done_s, total_s); };
  callbacks.on_language = [this](const std::string& language, double probability) {
    report_.events().language(language, probability);
  };
  callbacks.on_segment = [this, index](const Segment& segment) {
    report_.events().segment(segment);
    outputs_.print(segment, index);
  };
  return callbacks;
}

void Batch::hear(Transcriber& transcriber, size_t index) {
  const std::string& file = request_.files[index];
  report_.begin(index);
  const TranscribeCallbacks callbacks = this->callbacks(index);
  const Transcription result =
      request_.align ? transcriber.align(file, *request_.align, request_.options, callbacks)
                     : transcriber.transcribe(file, request_.options, callbacks);
  const bool is_part = result.cancelled || !request_.options.clip_timestamps.empty();
  report_.progress().finish(is_part ? report_.heard_s() : result.duration_s);
  if (!request_.profile.empty()) report_profile(transcriber.profile());
  finish(result, index);
}

void Batch::finish(const Transcription& result, size_t index) {
  Progress& progress = report_.progress();
  for (const std::string& warning : result.warnings) progress.note("warning: " + warning);
  if (result.cancelled) {
    progress.note(fmt::format("interrupted: {:.1f} s of {:.1f} s transcribed", report_.heard_s(),
                              result.duration_s));
  }
  // Where nothing was heard yet there is no file that says so.
  const bool is_delivered = !result.cancelled || report_.heard_s() > 0;
  if (is_delivered) outputs_.deliver(result, index);
  report_.finished(result,
                   is_delivered ? outputs_.files(index) : std::vector<std::filesystem::path>());
}

void Batch::find_existing() {
  is_skipped_.resize(request_.files.size());
  if (!request_.skip_existing) return;
  for (size_t i = 0; i < is_skipped_.size(); ++i) {
    is_skipped_[i] = outputs_.are_there(i);
    if (is_skipped_[i]) report_.leave_out(i);
  }
}

int Batch::summary() {
  return report_.summary(interrupt_.is_requested() ? interrupt_.status() : 0);
}

int Batch::run(const Inputs& inputs) {
  report_.found(inputs);
  find_existing();
  if (std::ranges::find(is_skipped_, false) == is_skipped_.end()) {  // no model is needed
    for (size_t i = 0; i < is_skipped_.size(); ++i) report_.skipped(i, outputs_.files(i));
    return summary();
  }
  if (!request_.place.folder.empty()) make_folder(request_.place.folder);
  try {
    auto transcriber =
        open_shown(request_.model, request_.options, interrupt_.token(), report_.progress());
    if (transcriber) hear_all(*transcriber);
  } catch (const std::exception& error) {
    if (std::cout) report_.events().failed_at_all(error.what());
    throw;
  }
  return summary();
}

void Batch::hear_all(Transcriber& transcriber) {
  for (size_t i = 0; i < request_.files.size(); ++i) {
    if (interrupt_.is_requested()) {
      report_.interrupted(request_.files.size() - i);
      break;
    }
    if (is_skipped_[i]) {
      report_.skipped(i, outputs_.files(i));
      continue;
    }
    try {
      hear(transcriber, i);
    } catch (const std::exception& error) {
      if (!std::cout) throw;
      report_.failed(error.what());
    }
  }
}

}  // namespace

int transcribe_files(const BatchRequest& request, const Inputs& inputs) {
  return Batch(request).run(inputs);
}

}  // namespace whinchat::cli
