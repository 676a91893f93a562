// What decides about the words and files of a batch, for its journal.
#pragma once

#include <filesystem>

#include "cli/batch/batch.h"
#include "cli/batch/journal_lines.h"

namespace whinchat::cli {

// The options that were given, but for those that only say how fast, on what or with what progress;
// texts that an option takes from a file; the program's version; the files of the model, which is a
// folder or file, with their sizes and times.
JournalSettings journal_settings(const BatchRequest& request, const std::filesystem::path& model);

}  // namespace whinchat::cli
