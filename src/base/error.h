// Throws Error with a formatted message: `fail(ErrorKind::Corrupt, "[audio.read_wav] …, got {}",
// n)`.
#pragma once

#include <fmt/core.h>    // IWYU pragma: export
#include <fmt/format.h>  // IWYU pragma: export

#include <utility>

#include "whinchat/error.h"  // IWYU pragma: export

namespace whinchat::base {

template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> message, Args&&... args) {
  throw Error(kind, fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace whinchat::base
