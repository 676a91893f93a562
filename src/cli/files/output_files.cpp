#include "cli/files/output_files.h"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

std::string stem_of(const std::string& input) {
  return input == "-" ? "stdin" : fs::path(input).stem().string();
}

std::string name_of(const std::string& input) {
  return input == "-" ? "stdin" : fs::path(input).filename().string();
}

fs::path beside(const std::string& input) {
  return input == "-" ? fs::path("stdin") : fs::path(input);
}

// Talk.txt and talk.txt are one file on some disks.
std::string folded(const std::string& name) { return base::ascii_lower(name); }

}  // namespace

std::vector<std::string> output_names(const std::vector<std::string>& inputs,
                                      const std::string& extension) {
  std::map<std::string, int> stems;
  for (const std::string& input : inputs) ++stems[folded(stem_of(input))];
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const std::string& input : inputs) {
    const std::string base = stems[folded(stem_of(input))] > 1 ? name_of(input) : stem_of(input);
    std::string name = base + extension;
    for (int copy = 2; !taken.insert(folded(name)).second; ++copy) {
      name = fmt::format("{}-{}{}", base, copy, extension);
    }
    names.push_back(name);
  }
  return names;
}

std::vector<fs::path> output_stems(const std::vector<std::string>& inputs,
                                   const OutputPlace& place) {
  if (!place.names.empty() && place.names.size() != inputs.size()) {
    base::fail(ErrorKind::BadInput, "--output-name: expected {} for {} file{}, got {}",
               inputs.size() == 1 ? "one" : fmt::format("{}, one each,", inputs.size()),
               inputs.size(), inputs.size() == 1 ? "" : "s", place.names.size());
  }
  const std::set<std::string> different(place.names.begin(), place.names.end());
  if (different.size() != place.names.size()) {
    base::fail(ErrorKind::BadInput, "--output-name: expected different names, got one twice");
  }
  const std::vector<std::string> names =
      place.names.empty() ? output_names(inputs, "") : place.names;
  std::vector<fs::path> stems;
  stems.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    stems.push_back(place.is_beside ? beside(inputs[i]) : fs::path(place.folder) / names[i]);
  }
  return stems;
}

void make_folder(const fs::path& folder) {
  std::error_code ignored;
  std::error_code error;
  const bool is_file = fs::exists(folder, ignored) && !fs::is_directory(folder, ignored);
  if (!is_file) fs::create_directories(folder, error);
  if (fs::is_directory(folder, ignored)) return;
  base::fail(ErrorKind::BadInput, "the output folder {} cannot be made: {}", folder.string(),
             is_file ? "it is a file" : error.message());
}

void flush_standard_output() {
  std::cout << std::flush;
  if (!std::cout) base::fail(ErrorKind::Internal, "standard output cannot be written");
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || fs::is_directory(path)) {
    base::fail(fs::exists(path) ? ErrorKind::BadInput : ErrorKind::NotFound,
               "{} cannot be read: expected a file with text", path.string());
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (content.starts_with(kByteOrderMark)) content.erase(0, kByteOrderMark.size());
  return content;
}

void write_file(const fs::path& path, std::string_view content) {
  const fs::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error(file ? 0 : errno, std::generic_category());
  if (!error) fs::rename(part, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(part, ignored);
  base::fail(ErrorKind::BadInput, "{} cannot be written: {}", path.string(), error.message());
}

}  // namespace whinchat::cli
