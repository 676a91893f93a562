#include "cli/files/inputs.h"

#include <glob.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/files/media_files.h"
#include "cli/files/output_files.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

bool is_pattern(const std::string& name) {
  const size_t bracket = name.find('[');
  const bool has_set = bracket != std::string::npos && name.find(']', bracket) != std::string::npos;
  return has_set || name.find_first_of("*?") != std::string::npos;
}

class Finder {
 public:
  explicit Finder(const InputOptions& options) : options_(options) {}

  Inputs find();

 private:
  void take(const std::string& name);
  void take_list(const std::string& list);
  void take_folder(const fs::path& folder);
  // False for a folder that cannot be read.
  bool collect(const fs::path& folder, std::vector<std::string>& files);
  void take_pattern(const std::string& pattern);
  void claim_standard_input();

  const InputOptions& options_;
  Inputs found_;
  bool reads_standard_input_ = false;
};

Inputs Finder::find() {
  for (const std::string& name : options_.files) {
    std::error_code ignored;
    if (name.starts_with('@') && !fs::exists(name, ignored)) {
      take_list(name.substr(1));
    } else {
      take(name);
    }
  }
  for (const std::string& list : options_.lists) take_list(list);
  return std::move(found_);
}

void Finder::claim_standard_input() {
  if (std::exchange(reads_standard_input_, true)) {
    base::fail(ErrorKind::BadInput, "standard input (-) is named twice, and can be read once");
  }
}

void Finder::take(const std::string& name) {
  if (name == "-") claim_standard_input();
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) {
    take_folder(name);
  } else if (is_pattern(name) && !fs::exists(name, ignored)) {
    take_pattern(name);
  } else {
    found_.files.push_back(name);
  }
}

void Finder::take_list(const std::string& list) {
  std::string content;
  if (list == "-") {
    claim_standard_input();
    content.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    content = read_file(list);
  }
  if (content.find('\0') != std::string::npos) {
    base::fail(ErrorKind::BadInput, "{} is no list: expected the name of a file a line", list);
  }
  bool is_empty = true;
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (base::trimmed(line).empty() || line.starts_with('#')) continue;
    is_empty = false;
    take(line);
  }
  if (is_empty) found_.failures.push_back(fmt::format("the list {} names no file", list));
}

bool Finder::collect(const fs::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    if (path.filename().string().starts_with('.')) continue;  // hidden; macOS leaves ._talk.mp3
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      // A link may lead back up.
      if (options_.recursive && !fs::is_symlink(path, ignored)) collect(path, files);
    } else if (fs::is_regular_file(path, ignored) && is_media_file(path)) {
      files.push_back(path.string());
    } else {
      ++found_.passed_over;
    }
  }
  if (error) {
    found_.failures.push_back(
        fmt::format("the folder {} cannot be read: {}", folder.string(), error.message()));
  }
  return !error;
}

void Finder::take_folder(const fs::path& folder) {
  std::vector<std::string> files;
  const bool is_read = collect(folder, files);
  if (is_read && files.empty()) {
    found_.failures.push_back(
        fmt::format("the folder {} has no audio or video file{}", folder.string(),
                    options_.recursive ? "" : " (those in it are searched with --recursive)"));
  }
  std::ranges::sort(files);
  std::ranges::move(files, std::back_inserter(found_.files));
}

void Finder::take_pattern(const std::string& pattern) {
  glob_t matches{};
  const int status = ::glob(pattern.c_str(), 0, nullptr, &matches);
  std::vector<std::string> names;
  if (status == 0) names.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  for (const std::string& name : names) take(name);
  if (names.empty()) found_.failures.push_back(fmt::format("no file matches {}", pattern));
}

}  // namespace

Inputs find_inputs(const InputOptions& options) { return Finder(options).find(); }

std::string passed_over_sentence(size_t files) {
  return files == 1
             ? "1 file that is neither audio nor video was passed over"
             : fmt::format("{} files that are neither audio nor video were passed over", files);
}

}  // namespace whinchat::cli
