// The one exception of whinchat. Caught in four places only: the engine loop, the HTTP edge, the
// command line's main and the C face.
#pragma once

#include <stdexcept>
#include <string>

#include "whinchat/api.h"

namespace whinchat {

enum class ErrorKind {
  BadInput,     // the caller's option, file or request is wrong
  NotFound,     // a file, model or tensor is missing
  Unsupported,  // well formed, but nothing here can serve it
  Corrupt,      // a file contradicts itself or ends early
  Busy,         // try again later
  Internal,     // our own bug, or the machine failed
};

class WHINCHAT_API Error : public std::runtime_error {
 public:
  // `message` is one sentence: what was expected and what came.
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace whinchat
