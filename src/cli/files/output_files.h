// Where results go with --output-dir.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace whinchat::cli {

// Where results go besides standard output.
struct OutputPlace {
  std::string folder;              // of all files
  bool is_beside = false;          // each where its input is, by all of its name: talk.mp3.txt
  std::vector<std::string> names;  // one for each input, without an extension; else output_names()

  bool is_file() const { return !folder.empty() || is_beside || !names.empty(); }
};

// A name for each input, all different, whatever case means to the disk: "talk.txt"; "talk.mp3.txt"
// where another input has the same stem; "talk.mp3-2.txt" where even that is taken. Standard input
// becomes "stdin".
std::vector<std::string> output_names(const std::vector<std::string>& inputs,
                                      const std::string& extension);

// The path of each input's files, without their extensions. Throws Error{BadInput} for names that
// are not one for each input.
std::vector<std::filesystem::path> output_stems(const std::vector<std::string>& inputs,
                                                const OutputPlace& place);

// Throws Error{BadInput} when it is there and no folder.
void make_folder(const std::filesystem::path& folder);

// Throws Error{Internal} when standard output did not take all that was written.
void flush_standard_output();

// Of a file with text. Throws Error{NotFound | BadInput}.
std::string read_file(const std::filesystem::path& path);

// Written beside the target as .part, then renamed. Throws Error{BadInput} with the reason.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace whinchat::cli
