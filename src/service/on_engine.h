// Work for the engine thread, whose errors callers understand.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "service/engine.h"

namespace whinchat::service {

// MLX throws late and in types of its own; callers see Error alone.
template <typename Work>
std::invoke_result_t<Work> on_engine(Engine& engine, Work work) {
  try {
    return engine.run(std::move(work));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    base::fail(ErrorKind::Internal, "the model could not be run: {}", error.what());
  }
}

}  // namespace whinchat::service
