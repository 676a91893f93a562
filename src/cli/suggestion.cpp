#include "cli/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "base/error.h"
#include "base/nearest.h"

namespace whinchat::cli {
namespace {

constexpr size_t kFirstLetters = 5;    // of a name that was cut short: --lan
constexpr size_t kLongestName = 60;    // longer ones are compared with nothing
constexpr size_t kLettersAnError = 4;  // one wrong letter is likely in so many

}  // namespace

std::string did_you_mean(const std::string& typed, std::span<const std::string> names) {
  if (names.empty() || typed.size() > kLongestName) return "";
  const auto begins = [&](const std::string& name) { return name.starts_with(typed); };
  const auto longer = std::ranges::find_if(names, begins);
  if (typed.size() >= kFirstLetters && longer != names.end()) {
    return fmt::format("; did you mean {}?", *longer);
  }
  const auto distance = [&](const std::string& name) { return base::edit_distance(typed, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  if (distance(*nearest) > 1 + typed.size() / kLettersAnError ||
      distance(*nearest) >= typed.size() / 2) {
    return "";
  }
  return fmt::format("; did you mean {}?", *nearest);
}

}  // namespace whinchat::cli
