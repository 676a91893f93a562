// Constants that `./dev prove mutations` changes one at a time, to see that a test turns red.
// Only a build with WHINCHAT_MUTATIONS reads the environment (WHINCHAT_MUTATE="name=value");
// everywhere else `mutable_constant` is the constant itself.
#pragma once

#include <string_view>

namespace whinchat::base {

#ifdef WHINCHAT_MUTATIONS
// The value that the environment gives to `name`, else `value`. Throws Error{BadInput} when the
// environment's value is not a number.
double mutable_constant(std::string_view name, double value);
#else
constexpr double mutable_constant(std::string_view /*name*/, double value) { return value; }
#endif

}  // namespace whinchat::base
