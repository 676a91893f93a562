// From a model's name to the folder that holds it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace whinchat::hub {

// $WHINCHAT_CACHE, else $XDG_CACHE_HOME/whinchat, else $HOME/.cache/whinchat.
std::filesystem::path cache_folder();

// A folder is taken as it is; a name is looked up among the cache's models.
// Throws Error{NotFound} that names the models which are there.
std::filesystem::path find_model(const std::string& name_or_folder);

}  // namespace whinchat::hub
