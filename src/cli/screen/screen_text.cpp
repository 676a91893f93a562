#include "cli/screen/screen_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace whinchat::cli {
namespace {

constexpr uint32_t kFirstWide = 0x1100;

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: no UTF-8
};

bool continues(std::string_view text, size_t index) {
  return index < text.size() && (static_cast<uint8_t>(text[index]) & 0xC0U) == 0x80;
}

// The first character of `text`, which is not empty.
Character first_character(std::string_view text) {
  const uint32_t lead = static_cast<uint8_t>(text.front());
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 ? 4 : (lead >= 0xE0 ? 3 : 2);
  if (lead < 0xC2 || lead > 0xF4) return {};
  uint32_t code = lead & (0x7FU >> bytes);
  for (size_t index = 1; index < bytes; ++index) {
    if (!continues(text, index)) return {};
    code = (code << 6U) | (static_cast<uint8_t>(text[index]) & 0x3FU);
  }
  const bool is_too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (is_too_long || is_surrogate || code > 0x10FFFF) return {};
  return {code, bytes};
}

bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    const size_t bytes = character.bytes > 0 ? character.bytes : 1;
    for (const char byte : text.substr(0, bytes)) {
      const bool is_shown = character.bytes > 0 && !is_control(character.code);
      result +=
          is_shown ? std::string(1, byte) : fmt::format("\\x{:02x}", static_cast<uint8_t>(byte));
    }
    text.remove_prefix(bytes);
  }
  return result;
}

std::string fitted(std::string_view text, size_t columns) {
  size_t end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    const size_t width = character.code < kFirstWide ? 1 : 2;
    if (width > columns || character.bytes == 0) break;
    columns -= width;
    end += character.bytes;
  }
  return std::string(text.substr(0, end));
}

}  // namespace whinchat::cli
