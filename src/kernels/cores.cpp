#include "kernels/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace whinchat::kernels {
namespace {

// A file's leading numbers; what is no number ("max") ends them, as does a missing file.
std::vector<double> numbers_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double number = 0; file >> number;) numbers.push_back(number);
  return numbers;
}

// Quota over period of one group's folder, or 0.
double limit_of(const std::filesystem::path& group) {
  std::vector<double> quota = numbers_of(group / "cpu.max");
  if (quota.size() < 2) {
    quota = numbers_of(group / "cpu.cfs_quota_us");
    const std::vector<double> period = numbers_of(group / "cpu.cfs_period_us");
    quota.insert(quota.end(), period.begin(), period.end());
  }
  return quota.size() == 2 && quota[0] > 0 && quota[1] > 0 ? quota[0] / quota[1] : 0;
}

// The least limit of `group` and the groups above it, up to `mount`. A group that a container does
// not show has no folder, and its limit is that of the nearest one shown.
double least_limit(const std::filesystem::path& mount, const std::filesystem::path& group) {
  double least = limit_of(mount);
  std::filesystem::path folder = mount;
  for (const std::filesystem::path& part : group.relative_path().lexically_normal()) {
    if (part == "..") break;  // outside of what is shown
    folder /= part;
    const double limit = limit_of(folder);
    if (limit > 0) least = least > 0 ? std::min(least, limit) : limit;
  }
  return least;
}

// Whether a comma-separated list has the word "cpu".
bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "cpu") return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
  return false;
}

int cores_by_affinity() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(
      std::thread::hardware_concurrency());  // more cores than a cpu_set_t holds
}

}  // namespace

double granted_cores(const std::filesystem::path& root) {
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  double least = 0;
  // Lines are hierarchy:controllers:path; v2's is the one without controllers.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !has_cpu(controllers)) continue;
    // v1's "cpu" is a link where controllers share a mount.
    const std::filesystem::path mount = controllers.empty() ? mounts : mounts / "cpu";
    const double limit = least_limit(mount, line.substr(second + 1));
    if (limit > 0) least = least > 0 ? std::min(least, limit) : limit;
  }
  return least;
}

int usable_cores() {
  int cores = cores_by_affinity();
  const double granted = granted_cores("/");
  if (granted > 0) cores = std::min(cores, static_cast<int>(std::ceil(granted)));
  return std::max(cores, 1);
}

}  // namespace whinchat::kernels
