// The cache that huggingface_hub and the programs on it share:
// models--owner--name/{blobs/HASH, refs/REVISION, snapshots/COMMIT/FILE → ../../blobs/HASH}.
// Other processes may change it at any time. Errors: Error{Internal} for a disk that refuses.
// Source: huggingface_hub's "Understand caching".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hub/listing.h"
#include "hub/model_name.h"

namespace whinchat::hub {

std::filesystem::path repository_folder(const std::filesystem::path& hub_cache,
                                        const std::string& id);

// Where huggingface_hub locks a blob.
std::filesystem::path lock_path(const std::filesystem::path& hub_cache, const std::string& id,
                                const std::string& blob);

// The snapshot that the revision names, if it is there and a complete model.
std::optional<std::filesystem::path> find_snapshot(const std::filesystem::path& hub_cache,
                                                   const Repository& repository);

// Makes the snapshot of blobs that are there, and lets the revision name it.
std::filesystem::path write_snapshot(const std::filesystem::path& hub_cache,
                                     const Repository& repository, const std::string& commit,
                                     const std::vector<RemoteFile>& files);

struct Snapshot {
  std::string repository;  // owner/name
  std::string commit;
  std::vector<std::string> revisions;  // that name it
  std::filesystem::path folder;
};

// Every snapshot of every model, complete or not, by repository.
std::vector<Snapshot> snapshots(const std::filesystem::path& hub_cache);

// Removes a snapshot, the revisions that name it and the blobs that no other one uses; with the
// last one the repository's folder. Returns the bytes freed.
uint64_t remove_snapshot(const std::filesystem::path& hub_cache, const Snapshot& snapshot);

}  // namespace whinchat::hub
