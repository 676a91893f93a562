#include "cli/batch/journal_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace whinchat::cli {
namespace {

using base::Json;
using base::OrderedJson;

// Says which types of lines there are, and what they hold.
constexpr int64_t kVersion = 1;
constexpr std::string_view kBegin = R"({"type":"journal",)";

std::string line_of(const OrderedJson& json) { return json.dump() + "\n"; }

const Json& field(const Json& json, const char* name, const std::string& what) {
  if (!json.is_object()) base::fail(ErrorKind::Corrupt, "{}: expected an object", what);
  const auto found = json.find(name);
  if (found == json.end()) {
    base::fail(ErrorKind::Corrupt, "{}: the field {} is missing", what, name);
  }
  return *found;
}

std::string text_field(const Json& json, const char* name, const std::string& what) {
  const Json& value = field(json, name, what);
  if (!value.is_string()) {
    base::fail(ErrorKind::Corrupt, "{}: the field {} must be a text, got {}", what, name,
               value.dump());
  }
  return value.get<std::string>();
}

// Exact: a time in ns does not fit into a double.
int64_t whole_field(const Json& json, const char* name, const std::string& what) {
  const Json& value = field(json, name, what);
  const bool is_too_large =
      value.is_number_unsigned() &&
      value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!value.is_number_integer() || is_too_large) {
    base::fail(ErrorKind::Corrupt, "{}: the field {} must be a whole number, got {}", what, name,
               value.dump());
  }
  return value.get<int64_t>();
}

JournalSettings read_settings(const Json& json, const std::string& what) {
  const int64_t version = whole_field(json, "version", what);
  if (version != kVersion) {
    base::fail(ErrorKind::Unsupported, "{}: expected a journal of version {}, got version {}", what,
               kVersion, version);
  }
  const Json& settings = field(json, "settings", what);
  if (!settings.is_object()) {
    base::fail(ErrorKind::Corrupt, "{}: the field settings must be an object", what);
  }
  JournalSettings read;
  for (const auto& [name, value] : settings.items()) {
    read[name] = text_field(settings, name.c_str(), what);
  }
  return read;
}

DoneInput read_done(const Json& json, const std::string& what) {
  DoneInput read{.path = text_field(json, "input", what),
                 .size = whole_field(json, "size", what),
                 .mtime_ns = whole_field(json, "mtime_ns", what)};
  const Json& outputs = field(json, "outputs", what);
  if (!outputs.is_array() || outputs.empty()) {
    base::fail(ErrorKind::Corrupt, "{}: the field outputs must be a list of files", what);
  }
  for (const Json& output : outputs) {
    read.outputs.push_back(
        {.path = text_field(output, "path", what), .size = whole_field(output, "size", what)});
  }
  return read;
}

void read_line(std::string_view line, const std::string& what, JournalText& read) {
  const Json json = base::parse_json(line, what);
  const std::string type = text_field(json, "type", what);
  const bool is_first = !read.settings.has_value();
  if (is_first && type == "journal") {
    read.settings = read_settings(json, what);
  } else if (!is_first && type == "done") {
    read.done.push_back(read_done(json, what));
  } else {
    base::fail(ErrorKind::Corrupt, "{}: expected a line of the type {}, got {}", what,
               is_first ? "journal" : "done", type);
  }
}

}  // namespace

std::string settings_line(const JournalSettings& settings) {
  OrderedJson named = OrderedJson::object();
  for (const auto& [name, value] : settings) named[name] = value;
  return line_of({{"type", "journal"}, {"version", kVersion}, {"settings", std::move(named)}});
}

std::string done_line(const DoneInput& input) {
  OrderedJson outputs = OrderedJson::array();
  for (const WrittenFile& output : input.outputs) {
    outputs.push_back({{"path", output.path}, {"size", output.size}});
  }
  return line_of({{"type", "done"},
                  {"input", input.path},
                  {"size", input.size},
                  {"mtime_ns", input.mtime_ns},
                  {"outputs", std::move(outputs)}});
}

bool begins_as_journal(std::string_view text) {
  const size_t size = std::min(text.size(), kBegin.size());
  return text.substr(0, size) == kBegin.substr(0, size);
}

JournalText read_journal(std::string_view text, std::string_view name) {
  if (!begins_as_journal(text)) {
    base::fail(ErrorKind::BadInput, "{} is no journal: expected {} at its beginning", name, kBegin);
  }
  JournalText read;
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(begin, end - begin);
    // A machine that lost its power may have kept a line's end without its beginning.
    const bool is_last = number > 0 && end + 1 == text.size();
    ++number;
    if (is_last && !Json::accept(line)) break;
    read_line(line, fmt::format("{}, line {}", name, number), read);
    begin = end + 1;
    read.whole_bytes = begin;
  }
  return read;
}

}  // namespace whinchat::cli
