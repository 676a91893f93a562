#include "cli/options/translation.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/files/media_files.h"
#include "cli/options/other_names.h"
#include "cli/suggestion.h"
#include "whinchat/option_values.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

bool is_option(const std::string& argument) {
  const bool has_name = argument.size() > 1 && argument[0] == '-';
  return has_name && !(argument[1] >= '0' && argument[1] <= '9') && argument[1] != '.';
}

bool is_format(std::string_view value) {
  const std::string first = base::ascii_lower(std::string(value.substr(0, value.find(','))));
  return first == "all" || find_value(kFormats, first).has_value();
}

// The first row of the name, or null.
const OtherName* row_of(const std::string& name) {
  const auto found = std::ranges::find_if(
      other_names(), [&](const OtherName& row) { return has_word(row.names, name); });
  return found == other_names().end() ? nullptr : &*found;
}

bool is_truth(const std::string& value) {
  return value == "True" || value == "true" || value == "False" || value == "false";
}

class Translator {
 public:
  Translator(const CLI::App& command, std::span<const std::string> arguments)
      : command_(command), arguments_(arguments) {}

  Translation translate();

 private:
  void take();
  void take_other(const OtherName& first, const std::string& name,
                  const std::optional<std::string>& value);
  std::string value_for(const OtherName& row, const std::string& name);
  void apply(const OtherName& row, const std::string& name, const std::string& value);
  void take_format_or_file(const std::string& value);
  void finish();
  void finish_clip();
  void put(std::string argument) { result_.arguments.push_back(std::move(argument)); }
  bool is_known(const std::string& name) const {
    return command_.get_option_no_throw(name) != nullptr;
  }
  [[noreturn]] void fail_unknown(const std::string& name) const;

  const CLI::App& command_;
  std::span<const std::string> arguments_;
  size_t next_ = 0;
  Translation result_;
  std::optional<int64_t> offset_ms_, duration_ms_;
  std::vector<std::string> formats_;
  bool has_place_ = false;
  bool has_clips_ = false;
};

int64_t milliseconds(const std::string& name, const std::string& value) {
  int64_t number = -1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) {
    base::fail(ErrorKind::BadInput, "{}: expected milliseconds, got {}", name, value);
  }
  return number;
}

void Translator::fail_unknown(const std::string& name) const {
  std::vector<std::string> names;
  for (const CLI::Option* option : command_.get_options()) {
    for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
  }
  for (const OtherName& row : other_names()) {
    for (const std::string& each : CLI::detail::split(std::string(row.names), ' ')) {
      names.push_back(each);
    }
  }
  base::fail(ErrorKind::BadInput, "{} has no option {}{}", command_.get_name(), name,
             did_you_mean(name, names));
}

Translation Translator::translate() {
  while (next_ < arguments_.size()) take();
  finish();
  return std::move(result_);
}

void Translator::take() {
  const std::string& argument = arguments_[next_++];
  if (!is_option(argument)) {
    put(argument);
    return;
  }
  const size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
  const std::string name = argument.substr(0, equals);
  if (const OtherName* row = row_of(name)) {
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    take_other(*row, name, value);
    return;
  }
  // Of ours: -ofolder and -qf json are left to the parser.
  const std::string own = argument.starts_with("--") ? name : argument.substr(0, 2);
  if (!is_known(own)) fail_unknown(name);
  has_place_ = has_place_ || own == "-o" || own == "--output-dir" || own == "--output-name" ||
               own == "--output-beside";
  has_clips_ = has_clips_ || own == "--clip-timestamps" || own == "--start" || own == "--end";
  put(argument);
  const bool takes_value = command_.get_option_no_throw(own)->get_items_expected_max() > 0;
  if (takes_value && argument == own && next_ < arguments_.size()) put(arguments_[next_++]);
}

std::string Translator::value_for(const OtherName& row, const std::string& name) {
  const bool has_next = next_ < arguments_.size();
  if (row.takes == Takes::Value && has_next) return arguments_[next_++];
  if (row.takes == Takes::Value) {
    base::fail(ErrorKind::BadInput, "{}: expected a value, got none", name);
  }
  const bool is_told = row.takes == Takes::Switch && has_next && is_truth(arguments_[next_]);
  return is_told ? arguments_[next_++] : "True";
}

void Translator::take_other(const OtherName& first, const std::string& name,
                            const std::optional<std::string>& value) {
  const std::string typed = value ? *value : value_for(first, name);
  const bool is_off = first.takes == Takes::Switch && (typed == "False" || typed == "false");
  const auto row = std::ranges::find_if(other_names(), [&](const OtherName& each) {
    return has_word(each.names, name) && (each.when.empty() ? !is_off : has_word(each.when, typed));
  });
  if (row != other_names().end()) {
    apply(*row, name, typed);
  } else if (is_known(name)) {
    put(name + "=" + typed);
  }
}

void Translator::apply(const OtherName& row, const std::string& name, const std::string& value) {
  switch (row.fate) {
    case Fate::Becomes:
      for (const std::string& word : CLI::detail::split(std::string(row.here), ' ')) {
        if (!word.empty()) put(base::replaced(word, "{}", value));
      }
      break;
    case Fate::Already:
      break;
    case Fate::LeftOut:
      result_.remarks.push_back(fmt::format("{} is left out: {}", name, row.here));
      break;
    case Fate::Refused:
      base::fail(ErrorKind::BadInput, "{}: {}", name, row.here);
    case Fate::Input:
      put(value);
      break;
    case Fate::FormatOrFile:
      take_format_or_file(value);
      break;
    case Fate::Format:
      formats_.emplace_back(row.here);
      break;
    case Fate::OutputFile:
      has_place_ = true;
      if (value != "-") put("--output-name=" + value);
      break;
    case Fate::Offset:
      offset_ms_ = milliseconds(name, value);
      break;
    case Fate::Duration:
      duration_ms_ = milliseconds(name, value);
      break;
  }
}

void Translator::take_format_or_file(const std::string& value) {
  std::error_code ignored;
  const bool is_file = has_media_extension(value) || fs::exists(value, ignored);
  if (value == "-" || (is_file && !is_format(value))) {
    put(value);
  } else if (value.find_first_of("./") != std::string::npos) {
    base::fail(ErrorKind::BadInput,
               "-f: expected a format or, as in whisper-cli, a file that is there; got {}", value);
  } else {
    put("--output-format=" + value);
  }
}

void Translator::finish_clip() {
  const int64_t offset_ms = offset_ms_.value_or(0);
  const int64_t duration_ms = duration_ms_.value_or(0);  // 0: to the end
  if (offset_ms == 0 && duration_ms == 0) return;
  if (has_clips_) {
    base::fail(
        ErrorKind::BadInput,
        "--offset-t and --duration are one clip: expected no --clip-timestamps, --start or --end");
  }
  constexpr double kMsPerS = 1000;
  const double start_s = static_cast<double>(offset_ms) / kMsPerS;
  const double end_s = static_cast<double>(offset_ms + duration_ms) / kMsPerS;
  put(fmt::format("--clip-timestamps={}", start_s) +
      (duration_ms > 0 ? fmt::format(",{}", end_s) : ""));
}

void Translator::finish() {
  finish_clip();
  if (formats_.empty()) return;
  put("--output-format=" + base::join(formats_, ","));
  if (!has_place_) put("--output-beside");
}

}  // namespace

Translation translated(const CLI::App& command, std::span<const std::string> arguments) {
  return Translator(command, arguments).translate();
}

}  // namespace whinchat::cli
