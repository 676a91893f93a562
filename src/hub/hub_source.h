// A repository of the hub → a snapshot in the shared cache.
#pragma once

#include <filesystem>
#include <optional>

#include "hub/fetch_context.h"
#include "hub/model_name.h"

namespace whinchat::hub {

// Fetches what the snapshot lacks. nullopt: stopped. Throws Error: {Internal} for the disk, other
// kinds for the hub.
std::optional<std::filesystem::path> fetch_from_hub(const FetchContext& context,
                                                    const Repository& repository);

}  // namespace whinchat::hub
