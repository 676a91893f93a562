// The tensors of a Whisper model of given dimensions, under our names, which are mlx-whisper's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace whinchat::weights {

struct NamedShape {
  std::string name;
  std::vector<int64_t> shape;
};

// `config`: the fields of names/whisper_config.h.
std::vector<NamedShape> whisper_tensors(const base::Json& config);

}  // namespace whinchat::weights
