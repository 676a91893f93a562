#include "hub/model_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> folders_in(const fs::path& parent) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

fs::path cache_folder() {
  if (std::string folder = variable("WHINCHAT_CACHE"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) {
    return fs::path(folder) / "whinchat";
  }
  return fs::path(variable("HOME")) / ".cache" / "whinchat";
}

fs::path find_model(const std::string& name_or_folder) {
  std::error_code error;
  if (!name_or_folder.empty() && fs::is_directory(name_or_folder, error)) return name_or_folder;
  const fs::path models = cache_folder() / "models";
  const bool is_name = !name_or_folder.empty() && name_or_folder.find('/') == std::string::npos &&
                       name_or_folder.front() != '.';
  if (is_name && fs::is_directory(models / name_or_folder, error)) return models / name_or_folder;
  const std::vector<std::string> known = folders_in(models);
  const std::string list = known.empty() ? "there is none yet" : base::join(known, ", ");
  base::fail(ErrorKind::NotFound, "the model {} is neither a folder nor one of those in {}: {}",
             name_or_folder, models.string(), list);
}

}  // namespace whinchat::hub
