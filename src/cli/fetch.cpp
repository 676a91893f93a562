#include "cli/fetch.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/progress.h"
#include "whinchat/models.h"

namespace whinchat::cli {

std::optional<std::filesystem::path> fetch_shown(const std::string& name, FetchOptions options,
                                                 Progress& progress) {
  uint64_t total_bytes = 0;
  options.on_progress = [&](uint64_t done, uint64_t total) {
    if (total != total_bytes) progress.start_transfer("fetching " + name, done, total);
    total_bytes = total;
    progress.show_transfer(done, total);
  };
  options.on_note = [&](const std::string& sentence) { progress.remark(sentence); };
  auto folder = find_or_fetch_model(name, options);
  if (folder && total_bytes > 0) progress.finish_transfer(total_bytes);
  if (!folder) progress.remark("interrupted: what has come of " + name + " is kept");
  return folder;
}

}  // namespace whinchat::cli
