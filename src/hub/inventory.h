// The models on this machine: what there is, what it takes, whether it is whole; removing one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hub/settings.h"

namespace whinchat::hub {

struct InstalledModel {
  std::string name;      // as one may ask for it: a word, or owner/name[@revision]
  std::string revision;  // the commit; empty in whinchat's own cache
  std::filesystem::path folder;
  bool is_in_hub_cache = false;  // shared with other programs
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;  // an estimate of what running it takes
};

// Speech models, those of whinchat's own cache first.
std::vector<InstalledModel> installed_models(const Settings& settings);

// An estimate from the weights' size alone.
uint64_t memory_to_run(uint64_t weight_bytes);

// Of our cache or the hub's; a name with no revision stands for all of a repository's. Blobs that
// another snapshot uses stay. Returns the bytes freed. Throws Error{NotFound}; {BadInput} for a
// folder.
uint64_t remove_model(const Settings& settings, const std::string& name);

enum class FileState {
  Ok,
  Wrong,    // another hash than it should have
  Missing,  // the model does not run without it
  Unknown,  // nobody has said what its hash should be
};

struct CheckedFile {
  std::string path;  // relative to the folder
  FileState state = FileState::Unknown;
};

// Every file of the model against its hash: the blob's name in the hub's cache, the table of
// packages in our own. Reads all of it.
std::vector<CheckedFile> verify_model(const Settings& settings, const std::string& name);

}  // namespace whinchat::hub
