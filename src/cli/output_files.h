// Where results go with --output-dir.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace whinchat::cli {

// A name for each input, all different: "talk.txt"; "talk.mp3.txt" where another input has the same
// stem; "talk.mp3-2.txt" where even that is taken. Standard input becomes "stdin".
std::vector<std::string> output_names(const std::vector<std::string>& inputs,
                                      const std::string& extension);

// Throws Error{BadInput} when it is there and no folder.
void make_folder(const std::filesystem::path& folder);

// Throws Error{Internal} when standard output did not take all that was written.
void flush_standard_output();

// Of a file with text. Throws Error{NotFound | BadInput}.
std::string read_file(const std::filesystem::path& path);

// Written beside the target as .part, then renamed. Throws Error{BadInput} with the reason.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace whinchat::cli
