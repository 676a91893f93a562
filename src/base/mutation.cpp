#include "base/mutation.h"

#ifdef WHINCHAT_MUTATIONS

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"

namespace whinchat::base {

double mutable_constant(std::string_view name, double value) {
  static const char* const setting = std::getenv("WHINCHAT_MUTATE");
  if (setting == nullptr) return value;
  const std::string_view text(setting);
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.substr(0, equals) != name) return value;
  char* end = nullptr;
  const double changed = std::strtod(setting + equals + 1, &end);
  if (end == setting + equals + 1 || *end != '\0') {
    fail(ErrorKind::BadInput, "WHINCHAT_MUTATE: expected name=number, got {}", text);
  }
  return changed;
}

}  // namespace whinchat::base

#endif
