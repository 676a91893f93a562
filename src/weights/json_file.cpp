#include "weights/json_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"
#include "base/json.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr size_t kMaxBytes = 1'000'000;
constexpr size_t kMaxKeys = 4096;
constexpr size_t kMaxStrictBytes = 4096;
constexpr size_t kMaxNameBytes = 4096;

// The position behind the string that starts at `begin`; npos when it does not end.
size_t end_of_string(std::string_view text, size_t begin) {
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

// Colons outside of strings: in a valid document, one for each member of each object.
size_t count_keys(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') i = std::min(end_of_string(text, i), text.size()) - 1;
    if (text[i] == ':') ++count;
  }
  return count;
}

size_t count_keys(const base::Json& json) {
  size_t count = json.is_object() ? json.size() : 0;
  if (json.is_structured()) {
    for (const base::Json& child : json) count += count_keys(child);
  }
  return count;
}

// Walks over one object without looking into its values.
class MemberScanner {
 public:
  MemberScanner(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  // The next character that is no space; NUL at the end.
  char peek() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool skip(char expected) {
    if (peek() != expected) return false;
    ++position_;
    return true;
  }

  void expect(char expected) {
    if (!skip(expected)) fail_here();
  }

  std::string_view read_name() {
    if (peek() != '"') fail_here();
    const size_t end = end_of_string(text_, position_);
    if (end > position_ + kMaxNameBytes) fail_here();
    return read_to(end);
  }

  // Up to the comma or the bracket that ends the value.
  std::string_view read_value() {
    peek();
    int depth = 0;
    size_t i = position_;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') i = std::min(end_of_string(text_, i), text_.size()) - 1;
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
    }
    return read_to(i);
  }

  [[noreturn]] void fail_here() const {
    base::fail(ErrorKind::Corrupt, "{}: expected a JSON object, got a syntax error at byte {}",
               source_, position_ + 1);
  }

 private:
  std::string_view read_to(size_t end) {
    const std::string_view result = text_.substr(position_, end - position_);
    position_ = end;
    return result;
  }

  std::string_view text_;
  const std::string& source_;
  size_t position_ = 0;
};

}  // namespace

base::Json read_json(std::string_view text, const std::string& source) {
  if (text.size() > kMaxBytes || count_keys(text) > kMaxKeys) {
    base::fail(ErrorKind::Unsupported,
               "{}: expected at most {} bytes and {} keys, got {} bytes and {} keys", source,
               kMaxBytes, kMaxKeys, text.size(), count_keys(text));
  }
  return base::parse_json(text, source);
}

base::Json load_json(const std::filesystem::path& file) {
  const auto map = base::FileMap::open(file);
  return read_json(base::as_text(map->bytes()), file.string());
}

void visit_members(std::string_view text, const std::string& source,
                   const std::function<void(const std::string&, std::string_view)>& visit) {
  MemberScanner scanner(text, source);
  scanner.expect('{');
  if (!scanner.skip('}')) {
    do {
      const base::Json name = base::parse_json(scanner.read_name(), source);
      scanner.expect(':');
      visit(name.get<std::string>(), scanner.read_value());
    } while (scanner.skip(','));
    scanner.expect('}');
  }
  if (scanner.peek() != '\0') scanner.fail_here();
}

base::Json read_strict_object(std::string_view text, const std::string& what) {
  if (text.size() > kMaxStrictBytes) {
    base::fail(ErrorKind::Corrupt, "{}: expected an object of at most {} bytes, got {}", what,
               kMaxStrictBytes, text.size());
  }
  base::Json json = base::parse_json(text, what);
  if (!json.is_object()) base::fail(ErrorKind::Corrupt, "{}: expected an object", what);
  if (count_keys(text) != count_keys(json)) {
    base::fail(ErrorKind::Corrupt, "{}: a key is there twice", what);
  }
  return json;
}

}  // namespace whinchat::weights
