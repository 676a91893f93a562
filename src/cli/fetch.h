// Finds a model, fetching it where it must, with its progress shown.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "cli/screen/progress.h"
#include "whinchat/models.h"
#include "whinchat/transcription.h"

namespace whinchat::cli {

// As find_or_fetch_model; `options` need not say how to report.
std::optional<std::filesystem::path> fetch_shown(const std::string& name, FetchOptions options,
                                                 Progress& progress);

// The model, loaded; unset if `stop` was requested before it was there. `options` are checked.
std::optional<Transcriber> open_shown(ModelOptions model, const TranscribeOptions& options,
                                      const std::stop_token& stop, Progress& progress);

}  // namespace whinchat::cli
