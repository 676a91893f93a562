// Characters of UTF-8 text, where bytes are not enough.
#pragma once

#include <string>
#include <string_view>

namespace whinchat::text {

constexpr char32_t kReplacementCharacter = U'\uFFFD';

// The code points of `utf8`, which is valid.
std::u32string code_points(std::string_view utf8);

// Without white space of any script at either end, as Python's str.strip().
std::string_view stripped(std::string_view utf8);

}  // namespace whinchat::text
