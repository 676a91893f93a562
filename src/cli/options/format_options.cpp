#include "cli/options/format_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/options/choice.h"
#include "whinchat/formats.h"
#include "whinchat/option_values.h"

namespace whinchat::cli {
namespace {

constexpr std::string_view kAll = "all";  // openai-whisper's five
constexpr std::array kAllFormats = {Format::Txt, Format::Vtt, Format::Srt, Format::Tsv,
                                    Format::Json};

std::string list_of_formats() {
  std::string list;
  for (const auto& each : kFormats) list += std::string(each.name) + ", ";
  return list.replace(list.size() - 2, 2, " or ") + std::string(kAll);
}

std::vector<Format> formats_of(const std::string& name) {
  if (CLI::detail::to_lower(name) == kAll) return {kAllFormats.begin(), kAllFormats.end()};
  const std::optional<Format> format = find_value(kFormats, name);
  if (format) return {*format};
  throw CLI::ValidationError("--output-format",
                             fmt::format("expected {}, got {}", list_of_formats(), name));
}

void add_formats(CLI::App& command, std::vector<Format>& formats) {
  std::string type;
  for (const auto& each : kFormats) type += std::string(each.name) + "|";
  const auto set = [&formats](const std::string& names) {
    formats.clear();
    for (const std::string& name : CLI::detail::split(names, ',')) {
      for (const Format format : formats_of(name)) {
        if (std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
      }
    }
  };
  command.add_option_function<std::string>("-f,--output-format", set, "By commas; else txt")
      ->type_name(type + std::string(kAll))
      ->join(',');
}

// The first option that is of subtitles alone, or nothing.
std::string_view subtitle_option(const WriterOptions& options) {
  const std::pair<std::string_view, bool> given[] = {
      {"max-line-width", options.max_line_width.has_value()},
      {"max-words-per-line", options.max_words_per_line.has_value()},
      {"highlight-words", options.highlight_words},
      {"split-at", options.split_at != SplitAt::Nothing}};
  for (const auto& [name, is_given] : given) {
    if (is_given) return name;
  }
  return {};
}

}  // namespace

std::string extension_of(Format format) {
  if (format == Format::JsonFull) return extension_of(Format::Json);
  const auto* named = std::ranges::find(kFormats, format, &Named<Format>::value);
  return "." + std::string(named->name);
}

void add_format_options(CLI::App& command, FormatOptions& options) {
  add_formats(command, options.formats);
  WriterOptions& writer = options.writer;
  command
      .add_option("--max-line-width", writer.max_line_width, "Characters of a line, in srt and vtt")
      ->type_name("N");
  command
      .add_option("--max-line-count", writer.max_line_count, "Lines of a subtitle; needs a width")
      ->type_name("N");
  command
      .add_option("--max-words-per-line", writer.max_words_per_line,
                  "Words of a subtitle, in srt and vtt")
      ->type_name("N");
  command.add_flag("--highlight-words", writer.highlight_words,
                   "Underline each word while it is said");
  command.add_flag("--print-colors,--print-colours", options.colors,
                   "On a terminal: unlikely words red, likely green");
  add_choice(command, "--split-at", writer.split_at, kSplits, "Where subtitles end besides");
}

void check_formats(const FormatOptions& options) {
  check_writer_options(options.writer);
  const auto has = [&](Format format) {
    return std::ranges::find(options.formats, format) != options.formats.end();
  };
  const std::string_view subtitles = subtitle_option(options.writer);
  if (!subtitles.empty() && !has(Format::Srt) && !has(Format::Vtt)) {
    base::fail(ErrorKind::BadInput, "{}: expected -f srt or -f vtt with it", subtitles);
  }
  if (has(Format::Json) && has(Format::JsonFull)) {
    base::fail(ErrorKind::BadInput, "json-full has all that json has: expected one of them");
  }
}

void check_standard_output(const FormatOptions& options, size_t inputs) {
  if (options.formats.size() > 1) {
    base::fail(ErrorKind::BadInput,
               "several formats are written into files: expected --output-dir");
  }
  const Format format = options.formats.front();
  const bool joins = format == Format::Txt || format == Format::Json || format == Format::JsonFull;
  if (inputs > 1 && !joins) {
    base::fail(ErrorKind::BadInput, "{} of {} inputs is written into files: expected --output-dir",
               extension_of(format).substr(1), inputs);
  }
}

bool takes_colors() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (is_set("NO_COLOR")) return false;
  return ::isatty(STDOUT_FILENO) != 0 || is_set("CLICOLOR_FORCE");
}

std::vector<std::pair<std::string, std::string>> given_options(const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || !option->nonpositional()) continue;
    given.emplace_back(option->get_lnames().front(), CLI::detail::join(option->results(), ","));
  }
  return given;
}

}  // namespace whinchat::cli
