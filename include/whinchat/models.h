// Models by name: which are on this machine, and fetching those that are not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "whinchat/api.h"

namespace whinchat {

// A model's name is a folder, a file (ggml-base.bin, base.pt), a short name ("base",
// "large-v3-turbo"), or a repository of the Hugging Face hub: "owner/name" or
// "owner/name@revision". The environment's variables: README.md. Every function throws Error; any
// thread may call them.

struct FetchOptions {
  bool offline = false;  // fetch nothing; HF_HUB_OFFLINE=1 says the same
  std::stop_token stop;  // ends a download within a second; what has come is kept
  // Called on the caller's thread, some ten times a second while files come …
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_progress;
  // … and for what a user should know: a wait, another attempt, another source.
  std::function<void(const std::string& sentence)> on_note;
};

// The model's folder or file, after fetching what is not on this machine. nullopt: stopped.
WHINCHAT_API std::optional<std::filesystem::path> find_or_fetch_model(
    const std::string& name, const FetchOptions& options = {});

// The folder of a model that is on this machine.
WHINCHAT_API std::filesystem::path find_model(const std::string& name);

struct InstalledModel {
  std::string name;      // as one may ask for it
  std::string revision;  // a commit; empty where whinchat's own cache holds it
  std::filesystem::path folder;
  bool is_in_hub_cache = false;  // shared with other programs
  uint64_t disk_bytes = 0;
  uint64_t memory_bytes = 0;  // about what running it takes
};

WHINCHAT_API std::vector<InstalledModel> installed_models();

struct KnownModel {
  std::string name;
  std::string repository;  // that it is fetched from
  uint64_t bytes = 0;      // about what there is to fetch
};

// The short names, smallest first.
WHINCHAT_API std::vector<KnownModel> known_models();

// Removes it from the cache that holds it; of a repository's files only those that no other
// revision uses. A folder given by its path is refused. Returns the bytes freed.
WHINCHAT_API uint64_t remove_model(const std::string& name);

enum class FileState { Ok, Wrong, Missing, Unknown };  // unknown: there is no hash to compare with

struct CheckedFile {
  std::string path;  // relative to the model's folder
  FileState state = FileState::Unknown;
};

// Reads every file of a model and compares its hash.
WHINCHAT_API std::vector<CheckedFile> verify_model(const std::string& name);

// Whose programs are to load it: mlx-whisper's, or CTranslate2's and faster-whisper's.
enum class ModelFormat { Mlx, CTranslate2 };

enum class WeightType { F16, BF16, F32, Bits8, Bits4 };  // bits: MLX's codes, in groups of 64

struct ConvertOptions {
  ModelFormat format = ModelFormat::Mlx;
  WeightType type = WeightType::F16;
  std::stop_token stop;  // ends it within a tensor; nothing is left
  // Called on the engine's thread, tensor by tensor.
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_progress;
};

// Writes a model that is on this machine into the folder `destination`, which must not be there: it
// appears whole or not at all. Its tokenizer goes with it. False: stopped.
WHINCHAT_API bool convert_model(const std::string& name, const std::filesystem::path& destination,
                                const ConvertOptions& options = {});

}  // namespace whinchat
