// JSON values. Parsing and field access throw Error{Corrupt} that names the document and the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>  // IWYU pragma: export
#include <string>
#include <string_view>

namespace whinchat::base {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;  // for writing: fields stay in the order of insertion

// `what` names the document in messages, for example a path. Nesting over 64 levels is refused.
Json parse_json(std::string_view text, std::string_view what);

// The field `name` of the object `json` as a whole number in [minimum, maximum].
int64_t require_integer(const Json& json, const std::string& name, std::string_view what,
                        int64_t minimum, int64_t maximum);

}  // namespace whinchat::base
