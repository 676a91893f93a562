#include "weights/json_file.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/json.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr size_t kMaxMembers = 65536;

}  // namespace

size_t count_members(std::string_view text) {
  size_t count = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (text[i] == ':' && !in_string) {
      ++count;
    }
  }
  return count;
}

size_t count_members(const base::Json& json) {
  size_t count = json.is_object() ? json.size() : 0;
  if (json.is_structured()) {
    for (const base::Json& child : json) count += count_members(child);
  }
  return count;
}

base::Json read_json(std::string_view text, const std::string& source) {
  const size_t members = count_members(text);
  if (members > kMaxMembers) {
    base::fail(ErrorKind::Unsupported, "{}: expected at most {} keys, got {}", source, kMaxMembers,
               members);
  }
  return base::parse_json(text, source);
}

base::Json load_json(const std::filesystem::path& file) {
  const auto map = base::FileMap::open(file);
  return read_json(base::as_text(map->bytes()), file.string());
}

}  // namespace whinchat::weights
