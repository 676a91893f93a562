// Finds a model, fetching it where it must, with its progress shown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/progress.h"
#include "whinchat/models.h"

namespace whinchat::cli {

// As find_or_fetch_model; `options` need not say how to report.
std::optional<std::filesystem::path> fetch_shown(const std::string& name, FetchOptions options,
                                                 Progress& progress);

}  // namespace whinchat::cli
