// What to hear: the files that are named, and those that folders, patterns and lists stand for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace whinchat::cli {

struct InputOptions {
  // A file; a folder; a pattern such as talks/*.mp3, where no file has that name; @LIST; - for
  // standard input.
  std::vector<std::string> files;
  // Files with one of these a line, but no @LIST; # begins a comment. - is standard input.
  std::vector<std::string> lists;
  bool recursive = false;  // also the folders in folders
};

struct Inputs {
  std::vector<std::string> files;     // in the order given; those of a folder by name
  size_t passed_over = 0;             // what folders hold besides audio and video
  std::vector<std::string> failures;  // a sentence for each name that stands for nothing
};

// A file that is missing is kept: opening it says so. Throws Error{BadInput} where standard input
// is named twice, and as read_file() for a list.
Inputs find_inputs(const InputOptions& options);

// What to say of them.
std::string passed_over_sentence(size_t files);

}  // namespace whinchat::cli
