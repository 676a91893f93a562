#include "base/resident_memory.h"

#include <cstdint>
#include <fstream>
#include <ios>
#include <limits>
#include <string>

namespace whinchat::base {

ResidentMemory resident_memory() {
  constexpr uint64_t kKilobyte = 1024;
  ResidentMemory memory;
  std::ifstream status("/proc/self/status");
  for (std::string field; status >> field;) {
    uint64_t kilobytes = 0;
    if (field == "VmHWM:" && status >> kilobytes) memory.peak_bytes = kKilobyte * kilobytes;
    if (field == "VmRSS:" && status >> kilobytes) memory.now_bytes = kKilobyte * kilobytes;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return memory;
}

}  // namespace whinchat::base
