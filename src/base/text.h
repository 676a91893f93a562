// Plain operations on text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whinchat::base {

constexpr std::string_view kAsciiSpace = " \t\n\r\f\v";

// Without white space (ASCII) at either end.
inline std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kAsciiSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAsciiSpace) - begin + 1);
}

// A–Z as a–z; all else stays.
constexpr char ascii_lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
std::string ascii_lower(std::string text);

// a–z, A–Z, 0–9, or a byte of a character beyond ASCII.
constexpr bool is_word_byte(char byte) {
  const char lower = ascii_lower(byte);
  return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') ||
         static_cast<unsigned char>(byte) >= 0x80;
}

// `text` with every `what` as `with`.
std::string replaced(std::string text, std::string_view what, std::string_view with);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace whinchat::base
