#include "cli/fetch.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "cli/screen/progress.h"
#include "whinchat/models.h"
#include "whinchat/transcription.h"

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

std::optional<Transcriber> open_shown(ModelOptions model, const TranscribeOptions& options,
                                      const std::stop_token& stop, Progress& progress) {
  const auto folder = fetch_shown(model.model, {.offline = model.offline, .stop = stop}, progress);
  if (!folder) return std::nullopt;
  progress.start("loading the model " + model.model);
  model.model = folder->string();
  std::optional<Transcriber> transcriber(std::in_place, model);
  transcriber->check(options);
  return transcriber;
}

}  // namespace whinchat::cli
