#include "text/characters.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace whinchat::text {
namespace {

bool is_continuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// Where the character at `begin` ends.
size_t end_of(std::string_view utf8, size_t begin) {
  size_t end = begin + 1;
  while (end < utf8.size() && is_continuation(utf8[end])) ++end;
  return end;
}

char32_t code_point(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  char32_t value = first;
  if (character.size() > 1) value = first & (0xFFU >> (character.size() + 1));
  for (const char byte : character.substr(1)) {
    value = (value << 6) | (static_cast<uint8_t>(byte) & 0x3F);
  }
  return value;
}

// Python's str.isspace().
bool is_space(char32_t value) {
  constexpr auto kSpaces =
      std::to_array<char32_t>({0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000});
  return (value >= 0x09 && value <= 0x0D) || (value >= 0x1C && value <= 0x1F) ||
         (value >= 0x2000 && value <= 0x200A) || std::ranges::find(kSpaces, value) != kSpaces.end();
}

}  // namespace

std::u32string code_points(std::string_view utf8) {
  std::u32string points;
  for (size_t begin = 0; begin < utf8.size();) {
    const size_t end = end_of(utf8, begin);
    points.push_back(code_point(utf8.substr(begin, end - begin)));
    begin = end;
  }
  return points;
}

std::string_view stripped(std::string_view utf8) {
  while (!utf8.empty()) {
    const size_t end = end_of(utf8, 0);
    if (!is_space(code_point(utf8.substr(0, end)))) break;
    utf8.remove_prefix(end);
  }
  while (!utf8.empty()) {
    size_t begin = utf8.size() - 1;
    while (begin > 0 && is_continuation(utf8[begin])) --begin;
    if (!is_space(code_point(utf8.substr(begin)))) break;
    utf8.remove_suffix(utf8.size() - begin);
  }
  return utf8;
}

}  // namespace whinchat::text
