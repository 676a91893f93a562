// Which of several names somebody may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace whinchat::base {

// The insertions, deletions and replacements of a character that turn one into the other.
size_t edit_distance(std::string_view left, std::string_view right);

// The first of the nearest `names`; empty where there are none.
std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace whinchat::base
