// What people on the screen and programs (--json-progress) are told while files are heard, and the
// count of how each ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "cli/files/inputs.h"
#include "cli/screen/event_log.h"
#include "cli/screen/progress.h"
#include "cli/screen/workload.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

class Report {
 public:
  explicit Report(const BatchRequest& request);

  Progress& progress() { return progress_; }
  EventLog& events() { return events_; }

  // What the inputs' names stand for, and do not.
  void found(const Inputs& inputs);

  // A file is heard between begin and one of finished and failed.
  void begin(size_t index);
  void heard(double done_s, double total_s);
  double heard_s() const { return heard_s_; }  // of the file in hand
  void finished(const Transcription& result, const std::vector<std::filesystem::path>& outputs);
  void failed(const std::string& message);

  // Said beforehand of a file that will not be heard.
  void leave_out(size_t index) { workload_.leave_out(index); }
  // Its turn came: --skip-existing had found its outputs, or the journal says that it is done.
  void skipped(size_t index, const std::vector<std::filesystem::path>& outputs);
  void done_before(size_t index, const std::vector<std::filesystem::path>& outputs);

  void interrupted(size_t files_not_begun);
  // The last of all. Returns the exit status: `status`, or 1 where a file failed and it is 0.
  int summary(int status);

 private:
  void announce(size_t index);

  const BatchRequest& request_;
  Progress progress_;
  EventLog events_;
  Workload workload_;
  Tally tally_;
  double heard_s_ = 0;
  std::chrono::steady_clock::time_point first_begin_;  // of the first file that is heard
  bool has_begun_ = false;
};

}  // namespace whinchat::cli
