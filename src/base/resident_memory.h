// The memory that this process holds, mapped files included, as the kernel counts it.
#pragma once

#include <cstdint>

namespace whinchat::base {

struct ResidentMemory {
  uint64_t now_bytes = 0, peak_bytes = 0;
};

// Zeros where the system does not say.
ResidentMemory resident_memory();

}  // namespace whinchat::base
