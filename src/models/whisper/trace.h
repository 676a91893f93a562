// Shows a model's intermediate arrays under their oracle's names, so that a difference is findable.
#pragma once

#include <mlx/array.h>

#include <functional>
#include <string>

namespace whinchat::models::whisper {

// Called while the graph is built, with arrays that are not yet evaluated. May be empty.
using Trace = std::function<void(const std::string& name, const mlx::core::array& value)>;

inline void show(const Trace& trace, const std::string& name, const mlx::core::array& value) {
  if (trace) trace(name, value);
}

}  // namespace whinchat::models::whisper
