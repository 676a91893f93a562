// How many threads are worth having: what the scheduler and the control groups grant this process.
#pragma once

#include <filesystem>

namespace whinchat::kernels {

// Cores that this process may use: its affinity, within its control group's quota; at least 1.
int usable_cores();

// Cores' worth of time that control groups grant (v2's cpu.max, v1's CFS quota; the least of the
// process's own group and those above it), or 0 where none limits it. `root` holds proc/self/cgroup
// and sys/fs/cgroup: "/", or a test's folder.
double granted_cores(const std::filesystem::path& root);

}  // namespace whinchat::kernels
