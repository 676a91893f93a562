// Silero VAD's weights, which the build takes from the package into the binary: safetensors as
// tools/silero_weights.py writes them.
#pragma once

#include "base/bytes.h"

namespace whinchat::models::vad {

base::Bytes silero_weights_16k();
base::Bytes silero_weights_8k();

}  // namespace whinchat::models::vad
