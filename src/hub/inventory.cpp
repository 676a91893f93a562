#include "hub/inventory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "hub/digest.h"
#include "hub/hub_cache.h"
#include "hub/model_files.h"
#include "hub/model_folder.h"
#include "hub/model_name.h"
#include "hub/package_source.h"
#include "hub/settings.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

InstalledModel describe(const std::string& name, const std::string& revision,
                        const fs::path& folder, bool is_in_hub_cache) {
  return {name,
          revision,
          folder,
          is_in_hub_cache,
          folder_bytes(folder),
          memory_to_run(weight_bytes(folder))};
}

std::string name_of(const Snapshot& snapshot) {
  const std::vector<std::string>& revisions = snapshot.revisions;
  if (std::ranges::find(revisions, "main") != revisions.end()) return snapshot.repository;
  return snapshot.repository + "@" + (revisions.empty() ? snapshot.commit : revisions.front());
}

// A word is our own folder, or the first of its repositories that is there.
std::vector<Snapshot> snapshots_named(const Settings& settings, const std::string& name) {
  const bool names_revision = name.find('@') != std::string::npos;
  for (const Repository& repository : candidate_repositories(name)) {
    std::vector<Snapshot> found = snapshots(settings.hub_cache);
    std::erase_if(found, [&](const Snapshot& snapshot) {
      const bool has_revision =
          snapshot.commit == repository.revision ||
          std::ranges::find(snapshot.revisions, repository.revision) != snapshot.revisions.end();
      return snapshot.repository != repository.id || (names_revision && !has_revision);
    });
    if (!found.empty()) return found;
  }
  return {};
}

bool is_own(const Settings& settings, const fs::path& folder) {
  return folder.parent_path() == settings.cache / "models";
}

// The hashes that our table of packages gives to a file of that model: one a package.
std::vector<Digest> packaged_digests(std::string_view model, std::string_view file) {
  std::vector<Digest> digests;
  for (const PackagedModel& package : packaged_models()) {
    for (const PackagedFile& packaged : package.files) {
      if (package.name != model || packaged.name != file) continue;
      digests.push_back({Digest::Kind::Sha256, std::string(packaged.sha256)});
    }
  }
  return digests;
}

// The hashes that a file may have; empty where nobody has said so.
std::vector<Digest> expected_digests(const Settings& settings, const fs::path& folder,
                                     const fs::path& file) {
  if (is_own(settings, folder)) {
    return packaged_digests(folder.filename().string(), file.lexically_relative(folder).string());
  }
  std::error_code error;
  const fs::path target = fs::read_symlink(file, error);
  const std::string blob = target.filename().string();
  if (error || target.parent_path().filename() != "blobs") return {};
  if (is_hex(blob, 64)) return {{Digest::Kind::Sha256, blob}};
  if (is_hex(blob, 40)) return {{Digest::Kind::GitBlob, blob}};
  return {};
}

FileState state_of(const fs::path& file, const std::vector<Digest>& expected) {
  std::error_code error;
  if (!fs::exists(file, error)) return FileState::Missing;
  if (expected.empty()) return FileState::Unknown;
  const Digest digest = digest_of_file(file, expected.front().kind);
  return std::ranges::find(expected, digest) != expected.end() ? FileState::Ok : FileState::Wrong;
}

}  // namespace

// Measured at its peak with weights of 16 bits: packed for the kernels; the program; one window's
// spectrogram, keys and values, which grow with the model.
uint64_t memory_to_run(uint64_t weight_bytes) {
  constexpr uint64_t kRest = uint64_t{128} << 20;
  return weight_bytes + weight_bytes / 8 + kRest;
}

std::vector<InstalledModel> installed_models(const Settings& settings) {
  std::vector<InstalledModel> models;
  for (const fs::path& folder : own_models(settings)) {
    if (is_speech_model(folder)) {
      models.push_back(describe(folder.filename().string(), "", folder, false));
    }
  }
  for (const Snapshot& snapshot : snapshots(settings.hub_cache)) {
    if (is_speech_model(snapshot.folder)) {
      models.push_back(describe(name_of(snapshot), snapshot.commit, snapshot.folder, true));
    }
  }
  return models;
}

uint64_t remove_model(const Settings& settings, const std::string& name) {
  std::error_code error;
  for (const fs::path& folder : own_models(settings)) {
    if (folder.filename() != name) continue;
    const uint64_t bytes = folder_bytes(folder);
    fs::remove_all(folder, error);
    if (!error) return bytes;
    base::fail(ErrorKind::Internal, "{} cannot be removed: {}", folder.string(), error.message());
  }
  const std::vector<Snapshot> found = snapshots_named(settings, name);
  if (found.empty() && !name.empty() && fs::is_directory(name, error)) {
    base::fail(ErrorKind::BadInput,
               "{} is a folder of yours: whinchat removes only models that "
               "lie in a cache",
               name);
  }
  if (found.empty()) {
    base::fail(ErrorKind::NotFound, "the model {} is in no cache: nothing was removed", name);
  }
  uint64_t bytes = 0;
  for (const Snapshot& snapshot : found) bytes += remove_snapshot(settings.hub_cache, snapshot);
  return bytes;
}

std::vector<CheckedFile> verify_model(const Settings& settings, const std::string& name) {
  const std::optional<fs::path> found = find_model_here(settings, name);
  fs::path folder = found ? *found : fs::path();
  std::error_code error;
  // Nobody says which hash a file of somebody's own must have.
  if (fs::is_regular_file(folder, error)) return {{folder.filename().string(), FileState::Unknown}};
  if (!found) {
    // Perhaps it is there in part: what is missing is what one wants to know.
    const std::vector<Snapshot> partial = snapshots_named(settings, name);
    if (partial.empty()) folder = find_model(name);  // throws
    folder = partial.front().folder;
  }
  std::set<std::string> names;
  for (fs::recursive_directory_iterator entry(folder, error), end; entry != end;
       entry.increment(error)) {
    if (!entry->is_directory(error) || entry->is_symlink(error)) {
      names.insert(entry->path().lexically_relative(folder).string());
    }
    if (error) break;
  }
  for (const std::string& required : required_files(folder)) names.insert(required);
  std::vector<CheckedFile> files;
  files.reserve(names.size());
  for (const std::string& file : names) {
    files.push_back(
        {file, state_of(folder / file, expected_digests(settings, folder, folder / file))});
  }
  return files;
}

}  // namespace whinchat::hub
