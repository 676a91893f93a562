// Where the words of each input go: into its files, or to standard output, under its name where
// there are several.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "cli/screen/progress.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

class Outputs {
 public:
  // `progress` makes room on the screen. Throws Error{BadInput} as output_stems().
  Outputs(const BatchRequest& request, Progress& progress);

  // Of an input; none for standard output.
  std::vector<std::filesystem::path> files(size_t index) const;
  bool are_there(size_t index) const;

  // Of a transcription that still runs. Throws Error{Internal} where nobody takes the words: the
  // rest of a long file would be in vain.
  void print(const Segment& segment, size_t index);
  void deliver(const Transcription& result, size_t index);

 private:
  bool streams_text() const;
  std::string document(const Transcription& result, Format format, size_t index) const;
  void print_heading(size_t index);
  void print(const std::string& text);

  const BatchRequest& request_;
  Progress& progress_;
  std::vector<std::filesystem::path> stems_;  // of each input's files
  bool colors_;
  std::optional<size_t> headed_;  // the input whose words are being printed
};

}  // namespace whinchat::cli
