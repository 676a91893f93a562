#include "hub/hub_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "hub/digest.h"
#include "hub/listing.h"
#include "hub/model_files.h"
#include "hub/model_name.h"
#include "hub/text_file.h"

namespace whinchat::hub {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCommitDigits = 40;
constexpr std::string_view kPrefix = "models--";

std::string folder_name(const std::string& id) {
  const size_t slash = id.find('/');
  return std::string(kPrefix) + id.substr(0, slash) + "--" + id.substr(slash + 1);
}

std::optional<std::string> repository_of(const std::string& folder) {
  if (!folder.starts_with(kPrefix)) return std::nullopt;
  std::string id = folder.substr(kPrefix.size());
  const size_t dashes = id.find("--");
  if (dashes == std::string::npos) return std::nullopt;
  id[dashes] = '/';
  return id.erase(dashes + 1, 1);
}

std::string read_ref(const fs::path& file) {
  const std::string commit = read_text_file(file);
  return is_hex(commit, kCommitDigits) ? commit : "";
}

[[noreturn]] void fail_disk(const fs::path& path, const std::error_code& error) {
  base::fail(ErrorKind::Internal, "{} cannot be written: {}", path.string(), error.message());
}

void require(const fs::path& path, const std::error_code& error) {
  if (error) fail_disk(path, error);
}

// Beside it first: another process reads the old one or the new one.
void replace_link(const fs::path& link, const fs::path& target) {
  std::error_code error;
  const fs::path part = link.string() + ".part";
  fs::remove(part, error);
  fs::create_directories(link.parent_path(), error);
  require(link.parent_path(), error);
  fs::create_symlink(target, part, error);
  if (!error) fs::rename(part, link, error);
  require(link, error);
}

void write_ref(const fs::path& file, const std::string& commit) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  require(file.parent_path(), error);
  const fs::path part = file.string() + ".part";
  std::ofstream stream(part, std::ofstream::trunc);
  stream << commit;
  stream.close();
  if (!stream) fail_disk(file, std::make_error_code(std::errc::io_error));
  fs::rename(part, file, error);
  require(file, error);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end; entry.increment(error)) {
    paths.push_back(entry->path());
    if (error) break;
  }
  std::ranges::sort(paths);
  return paths;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; entry != end;
       entry.increment(error)) {
    if (!entry->is_directory(error) || entry->is_symlink(error)) paths.push_back(entry->path());
    if (error) break;
  }
  return paths;
}

// The revision's name may hold slashes: refs/pr/1 lies two folders deep.
std::vector<std::string> revisions_of(const fs::path& repository, const std::string& commit) {
  std::vector<std::string> names;
  const fs::path refs = repository / "refs";
  for (const fs::path& file : files_below(refs)) {
    if (read_ref(file) == commit) names.push_back(file.lexically_relative(refs).string());
  }
  std::ranges::sort(names);
  return names;
}

std::set<fs::path> blobs_of(const fs::path& snapshot) {
  std::set<fs::path> names;
  std::error_code error;
  for (const fs::path& file : files_below(snapshot)) {
    const fs::path target = fs::read_symlink(file, error);
    if (!error && target.parent_path().filename() == "blobs") names.insert(target.filename());
  }
  return names;
}

uint64_t bytes_on_disk(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const fs::path& file : files_below(folder)) {
    if (!fs::is_symlink(file, error)) bytes += fs::file_size(file, error);
  }
  return bytes;
}

}  // namespace

fs::path repository_folder(const fs::path& hub_cache, const std::string& id) {
  return hub_cache / folder_name(id);
}

fs::path lock_path(const fs::path& hub_cache, const std::string& id, const std::string& blob) {
  return hub_cache / ".locks" / folder_name(id) / (blob + ".lock");
}

std::optional<fs::path> find_snapshot(const fs::path& hub_cache, const Repository& repository) {
  const fs::path folder = repository_folder(hub_cache, repository.id);
  std::string commit = read_ref(folder / "refs" / repository.revision);
  if (commit.empty() && is_hex(repository.revision, kCommitDigits)) commit = repository.revision;
  if (commit.empty()) return std::nullopt;
  fs::path snapshot = folder / "snapshots" / commit;
  if (!is_complete_model(snapshot)) return std::nullopt;
  return snapshot;
}

fs::path write_snapshot(const fs::path& hub_cache, const Repository& repository,
                        const std::string& commit, const std::vector<RemoteFile>& files) {
  const fs::path folder = repository_folder(hub_cache, repository.id);
  fs::path snapshot = folder / "snapshots" / commit;
  for (const RemoteFile& file : files) {
    const fs::path link = snapshot / file.path;
    const fs::path blob = folder / "blobs" / file.digest.hex;
    replace_link(link, blob.lexically_relative(link.parent_path()));
  }
  if (repository.revision != commit) write_ref(folder / "refs" / repository.revision, commit);
  return snapshot;
}

std::vector<Snapshot> snapshots(const fs::path& hub_cache) {
  std::vector<Snapshot> found;
  for (const fs::path& folder : entries(hub_cache)) {
    const std::optional<std::string> id = repository_of(folder.filename().string());
    if (!id) continue;
    for (const fs::path& snapshot : entries(folder / "snapshots")) {
      const std::string commit = snapshot.filename().string();
      if (!is_hex(commit, kCommitDigits)) continue;
      found.push_back({*id, commit, revisions_of(folder, commit), snapshot});
    }
  }
  return found;
}

uint64_t remove_snapshot(const fs::path& hub_cache, const Snapshot& snapshot) {
  const fs::path folder = repository_folder(hub_cache, snapshot.repository);
  const uint64_t before = bytes_on_disk(folder);
  std::set<fs::path> blobs = blobs_of(snapshot.folder);
  std::error_code error;
  fs::remove_all(snapshot.folder, error);
  require(snapshot.folder, error);
  for (const std::string& revision : snapshot.revisions) {
    fs::remove(folder / "refs" / revision, error);
  }
  const std::vector<fs::path> others = entries(folder / "snapshots");
  if (others.empty()) {
    fs::remove_all(folder, error);
    require(folder, error);
    fs::remove_all(lock_path(hub_cache, snapshot.repository, "").parent_path(), error);
    return before;
  }
  for (const fs::path& other : others) {
    for (const fs::path& blob : blobs_of(other)) blobs.erase(blob);
  }
  for (const fs::path& blob : blobs) fs::remove(folder / "blobs" / blob, error);
  return before - bytes_on_disk(folder);
}

}  // namespace whinchat::hub
