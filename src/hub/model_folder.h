// From a model's name to the folder or file that holds it, in this order: a folder or a file,
// whinchat's own cache, the hub's cache, the hub, packages. Names: hub/model_name.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hub/fetch_context.h"
#include "hub/settings.h"

namespace whinchat::hub {

// On this machine alone; nullopt where it is not there or not whole.
std::optional<std::filesystem::path> find_model_here(const Settings& settings,
                                                     const std::string& name);

// The folders of whinchat's own cache, by name.
std::vector<std::filesystem::path> own_models(const Settings& settings);

// As find_model_here, with the environment's settings. Throws Error{NotFound} that says what to do.
std::filesystem::path find_model(const std::string& name);

// Fetches what is not on this machine, unless the settings say offline. nullopt: stopped. Throws
// Error: {NotFound} names every source that was tried, with its reason; {Internal} for the disk.
std::optional<std::filesystem::path> find_or_fetch_model(const FetchContext& context,
                                                         const std::string& name);

}  // namespace whinchat::hub
