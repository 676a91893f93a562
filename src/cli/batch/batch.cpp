#include "cli/batch/batch.h"

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
#include "cli/batch/journal.h"
#include "cli/batch/journal_lines.h"
#include "cli/batch/journal_settings.h"
#include "cli/batch/outputs.h"
#include "cli/batch/report.h"
#include "cli/fetch.h"
#include "cli/files/inputs.h"
#include "cli/files/output_files.h"
#include "cli/interrupt.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

enum class Turn { Hear, Existing, DoneBefore };

class Batch {
 public:
  explicit Batch(const BatchRequest& request)
      : request_(request),
        interrupt_(request.quiet),
        report_(request),
        outputs_(request, report_.progress()) {}

  int run(const Inputs& inputs);

 private:
  void work();
  bool open_journal();
  void plan();
  void pass_over(size_t index);
  void make_output_folder();
  void hear_all(Transcriber& transcriber);
  void hear(Transcriber& transcriber, size_t index);
  TranscribeCallbacks callbacks(size_t index);
  void remember(size_t index);
  void finish(const Transcription& result, size_t index);
  void report_profile(const Profile& profile);

  const BatchRequest& request_;
  const Interrupt interrupt_;  // first of all that may start a thread
  Report report_;
  Outputs outputs_;
  std::optional<Journal> journal_;
  std::optional<DoneInput> in_hand_;  // the input that is heard, for the journal
  std::vector<Turn> turns_;           // of each input
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
  // It may change while it is heard.
  in_hand_ = journal_ ? look_at(file, {}) : std::nullopt;
  const TranscribeCallbacks callbacks = this->callbacks(index);
  const Transcription result =
      request_.align ? transcriber.align(file, *request_.align, request_.options, callbacks)
                     : transcriber.transcribe(file, request_.options, callbacks);
  const bool is_part = result.cancelled || !request_.options.clip_timestamps.empty();
  report_.progress().finish(is_part ? report_.heard_s() : result.duration_s);
  if (!request_.profile.empty()) report_profile(transcriber.profile());
  finish(result, index);
}

void Batch::remember(size_t index) {
  if (!journal_ || !in_hand_) return;
  const std::vector<fs::path> outputs = outputs_.files(index);
  write_through(outputs);
  const auto now = look_at(request_.files[index], outputs);
  if (!now) return;
  in_hand_->outputs = now->outputs;
  journal_->add(*in_hand_);
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
  if (!result.cancelled) remember(index);
  report_.finished(result, is_delivered ? outputs_.files(index) : std::vector<fs::path>());
}

bool Batch::open_journal() {
  for (size_t i = 0; i < request_.files.size(); ++i) {
    for (const fs::path& output : outputs_.files(i)) {
      if (fs::absolute(output).lexically_normal() !=
          fs::absolute(request_.journal).lexically_normal()) {
        continue;
      }
      base::fail(ErrorKind::BadInput, "the words would overwrite the journal: {}", output.string());
    }
  }
  const auto model = fetch_shown(request_.model.model,
                                 {.offline = request_.model.offline, .stop = interrupt_.token()},
                                 report_.progress());
  if (!model) return false;
  std::error_code ignored;
  const bool is_new = !fs::exists(request_.journal, ignored);
  if (is_new) make_output_folder();  // it may be in there
  journal_.emplace(request_.journal, journal_settings(request_, *model));
  return true;
}

void Batch::plan() {
  turns_.resize(request_.files.size(), Turn::Hear);
  for (size_t i = 0; i < turns_.size(); ++i) {
    if (journal_) {
      const auto seen = look_at(request_.files[i], outputs_.files(i));
      if (seen && journal_->holds(*seen)) turns_[i] = Turn::DoneBefore;
    } else if (request_.skip_existing && outputs_.are_there(i)) {
      turns_[i] = Turn::Existing;
    }
    if (turns_[i] != Turn::Hear) report_.leave_out(i);
  }
}

void Batch::make_output_folder() {
  if (!request_.place.folder.empty()) make_folder(request_.place.folder);
}

void Batch::pass_over(size_t index) {
  if (turns_[index] == Turn::Existing) report_.skipped(index, outputs_.files(index));
  if (turns_[index] == Turn::DoneBefore) report_.done_before(index, outputs_.files(index));
}

void Batch::hear_all(Transcriber& transcriber) {
  for (size_t i = 0; i < request_.files.size(); ++i) {
    if (interrupt_.is_requested()) {
      report_.interrupted(request_.files.size() - i);
      break;
    }
    if (turns_[i] != Turn::Hear) {
      pass_over(i);
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

void Batch::work() {
  if (!request_.journal.empty() && !open_journal()) return;
  plan();
  if (std::ranges::find(turns_, Turn::Hear) == turns_.end()) {  // no model is needed
    for (size_t i = 0; i < turns_.size(); ++i) pass_over(i);
    return;
  }
  make_output_folder();
  auto transcriber =
      open_shown(request_.model, request_.options, interrupt_.token(), report_.progress());
  if (transcriber) hear_all(*transcriber);
}

int Batch::run(const Inputs& inputs) {
  report_.found(inputs);
  try {
    work();
  } catch (const std::exception& error) {
    if (std::cout) report_.events().failed_at_all(error.what());
    throw;
  }
  return report_.summary(interrupt_.is_requested() ? interrupt_.status() : 0);
}

}  // namespace

int transcribe_files(const BatchRequest& request, const Inputs& inputs) {
  return Batch(request).run(inputs);
}

}  // namespace whinchat::cli
