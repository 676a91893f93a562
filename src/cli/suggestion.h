// What somebody may have meant who typed a name that is none.
#pragma once

#include <span>
#include <string>

namespace whinchat::cli {

// "; did you mean --language?", or empty where no name is near. A name that begins as typed is
// near.
std::string did_you_mean(const std::string& typed, std::span<const std::string> names);

}  // namespace whinchat::cli
