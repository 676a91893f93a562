#include "base/json.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace whinchat::base {
namespace {

constexpr int kMaxDepth = 64;

}  // namespace

Json parse_json(std::string_view text, std::string_view what) {
  const auto limit_depth = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kMaxDepth) {
      fail(ErrorKind::Corrupt, "{}: expected at most {} levels of nesting, got more", what,
           kMaxDepth);
    }
    return true;
  };
  try {
    return Json::parse(text, limit_depth);
  } catch (const Json::parse_error& error) {
    fail(ErrorKind::Corrupt, "{}: expected JSON, got a syntax error at byte {}", what, error.byte);
  } catch (const Json::out_of_range&) {
    fail(ErrorKind::Corrupt, "{}: expected numbers that a double can hold, got a larger one", what);
  }
}

int64_t require_integer(const Json& json, const std::string& name, std::string_view what,
                        int64_t minimum, int64_t maximum) {
  if (!json.is_object()) fail(ErrorKind::Corrupt, "{}: expected an object", what);
  const auto field = json.find(name);
  if (field == json.end()) fail(ErrorKind::Corrupt, "{}: the field {} is missing", what, name);
  const bool whole =
      field->is_number_integer() ||
      (field->is_number_float() && std::trunc(field->get<double>()) == field->get<double>());
  if (!whole) {
    fail(ErrorKind::Corrupt, "{}: the field {} must be a whole number, got {}", what, name,
         field->dump());
  }
  const double value = field->get<double>();
  if (value < static_cast<double>(minimum) || value > static_cast<double>(maximum)) {
    fail(ErrorKind::Corrupt, "{}: the field {} must lie in {} … {}, got {}", what, name, minimum,
         maximum, field->dump());
  }
  return static_cast<int64_t>(value);
}

}  // namespace whinchat::base
