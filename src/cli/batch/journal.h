// The file of --journal: which inputs are done, so that a run that was ended by force goes on where
// it was. One process at a time holds it; one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/batch/journal_lines.h"

namespace whinchat::cli {

class Journal {
 public:
  // Takes the file up, or makes it. Throws Error, and leaves the file as it is: BadInput where it
  // is none, or of a run with other settings; Busy while another process holds it; as
  // read_journal().
  Journal(const std::filesystem::path& path, const JournalSettings& settings);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // Whether the input is in it as it is now, its outputs too.
  bool holds(const DoneInput& input) const;

  // Is on the disk when this returns. Throws Error{Internal} where it cannot be; the file is as it
  // was then.
  void add(const DoneInput& input);

 private:
  void lock() const;
  std::string content() const;
  void take_up(const JournalSettings& settings);
  void append(std::string_view line);

  std::string name_;  // for people
  int fd_;
  size_t size_ = 0;                             // of whole lines
  std::map<std::string, DoneInput> by_output_;  // the latest, by their first output's path
};

// Both as they are on the disk now; an output that is not there has the size -1. Nothing where the
// input is no file, such as a pipe: what was heard of it cannot be known again.
std::optional<DoneInput> look_at(const std::filesystem::path& input,
                                 std::span<const std::filesystem::path> outputs);

// Once this returns they are there after a loss of power too.
void write_through(std::span<const std::filesystem::path> files);

}  // namespace whinchat::cli
