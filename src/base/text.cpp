#include "base/text.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace whinchat::base {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace whinchat::base
