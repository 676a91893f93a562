// Text that a terminal can take: names of files may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace whinchat::cli {

// Control characters and bytes that are no UTF-8 as \xNN.
std::string printable(std::string_view text);

// The longest start of printable `text` that takes at most `columns`. Characters from U+1100 on
// count as two columns: never too few.
std::string fitted(std::string_view text, size_t columns);

}  // namespace whinchat::cli
