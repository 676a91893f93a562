// --json-progress: what happens, for programs: a JSON object a line, in UTF-8, as docs/events.md
// has them. One thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/screen/workload.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

// How many files came to which end.
struct Tally {
  size_t files = 0, done = 0, done_before = 0, failed = 0, skipped = 0;

  size_t not_begun() const { return files - done - done_before - failed - skipped; }
};

class EventLog {
 public:
  // Appends to `path`, which may be a pipe or /dev/fd/3; empty: nothing is written. Throws
  // Error{BadInput} where it cannot be.
  explicit EventLog(const std::string& path);

  // A file's events, between begin and one of done, done_before, failed and
  // skipped.
  void begin(const std::string& file, size_t number, size_t count);
  void language(const std::string& code, double probability);
  void segment(const Segment& segment);
  void progress(const Workload& work, const Pace& file, const Pace& all);
  void done(const Transcription& result, double elapsed_s,
            const std::vector<std::filesystem::path>& outputs);
  void failed(const std::string& message);
  void skipped(const std::vector<std::filesystem::path>& outputs);
  void done_before(const std::vector<std::filesystem::path>& outputs);

  // Of no file: the model, a name that stands for no file.
  void failed_at_all(const std::string& message);
  void summary(const Tally& tally, int status);

 private:
  void write(const char* event, const base::OrderedJson& fields);
  void write_of_file(const char* event, const base::OrderedJson& fields);

  std::ofstream out_;
  std::string path_;
  size_t number_ = 0;
};

}  // namespace whinchat::cli
