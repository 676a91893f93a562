#include "cli/batch/journal_settings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "cli/batch/batch.h"
#include "cli/batch/journal.h"
#include "cli/batch/journal_lines.h"
#include "cli/screen/screen_text.h"
#include "whinchat/formats.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

// Whatever is not here counts, new options too. "model" is told by its files.
constexpr auto kOfTheRunAlone = std::to_array<std::string_view>(
    {"device", "input-list", "journal", "json-progress", "model", "offline", "print-colors",
     "profile", "quiet", "recursive", "threads", "verbose"});

void add_model(const fs::path& model, JournalSettings& settings) {
  std::error_code ignored;
  const fs::path whole = fs::canonical(model, ignored);
  settings["the model"] = printable(whole.string());
  const auto add = [&](const fs::path& file) {
    const auto seen = look_at(file, {});
    if (!seen || file.filename().string().starts_with('.')) return;
    settings["the model's " + printable(file.filename().string())] =
        fmt::format("of {} bytes and the time {} ns", seen->size, seen->mtime_ns);
  };
  if (!fs::is_directory(whole, ignored)) add(whole);
  for (const auto& entry : fs::directory_iterator(whole, ignored)) add(entry.path());
}

}  // namespace

JournalSettings journal_settings(const BatchRequest& request, const fs::path& model) {
  // This format lists the options, all of them.
  const bool are_written =
      std::ranges::find(request.output.formats, Format::JsonFull) != request.output.formats.end();
  JournalSettings settings;
  for (const auto& [name, value] : request.output.writer.used) {
    const bool counts =
        are_written || std::ranges::find(kOfTheRunAlone, name) == kOfTheRunAlone.end();
    if (counts) settings["--" + name] = printable(value);
  }
  if (!request.options.vocabulary.empty()) {
    settings["--vocabulary"] = printable(base::join(request.options.vocabulary, ","));
  }
  if (request.align) settings["--align"] = printable(*request.align);
  settings["the version"] = WHINCHAT_VERSION;
  add_model(model, settings);
  return settings;
}

}  // namespace whinchat::cli
