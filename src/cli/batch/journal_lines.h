// What a journal's lines say (docs/journal.md), as text and back. Without a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whinchat::cli {

// What decides about the words and files of a run, by names for people: "--language" → "de".
using JournalSettings = std::map<std::string, std::string>;

struct WrittenFile {
  std::string path;
  int64_t size = 0;  // in bytes

  bool operator==(const WrittenFile&) const = default;
};

// An input as it was when it was heard, and the files that its words are in.
struct DoneInput {
  std::string path;
  int64_t size = 0;      // in bytes
  int64_t mtime_ns = 0;  // since 1970
  std::vector<WrittenFile> outputs;

  bool operator==(const DoneInput&) const = default;
};

struct JournalText {
  std::optional<JournalSettings> settings;  // unset: nothing was written yet
  std::vector<DoneInput> done;              // in the order of their ends
  size_t whole_bytes = 0;                   // of whole lines; what is behind them is to be cut
};

// Each with its line feed. Paths and settings are UTF-8.
std::string settings_line(const JournalSettings& settings);
std::string done_line(const DoneInput& input);

// Whether a text can be a journal's, by its first bytes; an empty one can.
bool begins_as_journal(std::string_view text);

// A last line that was cut by the program's end is left out. Throws Error{Corrupt | Unsupported}
// with `name` and the line's number for any other that is not as it should be.
JournalText read_journal(std::string_view text, std::string_view name);

}  // namespace whinchat::cli
