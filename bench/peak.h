// How fast the cores multiply at all: the multiplying instructions of the instruction set in use,
// on registers that hold random values, or on tiles that come from the L1 cache. No product can be
// faster.
#pragma once

#include <optional>

#include "kernels/team.h"
#include "machine.h"

namespace whinchat::bench {

enum class Factors { F32, BF16, Int8 };

struct Peak {
  Rate rate;  // multiplications and additions a second
  const char* instruction;
};

// None where the processor has no instruction for them. On the team's thread.
std::optional<Peak> multiply_peak(Factors factors, kernels::Team& team);

}  // namespace whinchat::bench
