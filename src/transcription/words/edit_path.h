// Which words of one text are which of another: the fewest insertions, deletions and replacements.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace whinchat::transcription {

// For each of `from` the index of the one in `to` that it is or that replaces it. Time grows with
// the product of the lengths, memory with their sum (Hirschberg 1975).
std::vector<std::optional<size_t>> edit_path(std::span<const std::string> from,
                                             std::span<const std::string> to);

}  // namespace whinchat::transcription
