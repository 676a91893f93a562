#include "base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

namespace whinchat::base {

size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < right.size(); ++j) {
      const size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string_view nearest_name(std::string_view wanted, std::span<const std::string_view> names) {
  const auto nearest = std::ranges::min_element(
      names, {}, [&](std::string_view name) { return edit_distance(wanted, name); });
  return nearest == names.end() ? std::string_view() : *nearest;
}

}  // namespace whinchat::base
