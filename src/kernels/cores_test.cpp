#include "kernels/cores.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace whinchat::kernels {
namespace {

// A folder that looks like the root of a system.
class GrantedCores : public testing::Test {
 protected:
  GrantedCores() {
    std::string name = (std::filesystem::temp_directory_path() / "cores-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~GrantedCores() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  double granted() const { return granted_cores(root_); }

 private:
  std::filesystem::path root_;
};

TEST_F(GrantedCores, IsZeroWithoutControlGroups) { EXPECT_EQ(granted(), 0); }

TEST_F(GrantedCores, IsVersion2sQuotaOfTheProcessesOwnGroup) {
  write("proc/self/cgroup", "0::/user/job\n");
  write("sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/user/other/cpu.max", "50000 100000\n");
  EXPECT_EQ(granted(), 1.5);
}

TEST_F(GrantedCores, IsTheLeastOfTheGroupsAbove) {
  write("proc/self/cgroup", "0::/user/job/step\n");
  write("sys/fs/cgroup/user/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/user/job/step/cpu.max", "300000 100000\n");
  EXPECT_EQ(granted(), 2);
}

TEST_F(GrantedCores, IsZeroWhereEveryGroupSaysMax) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(granted(), 0);
}

TEST_F(GrantedCores, IsThatOfTheMountWhereAContainerHidesItsOwnPath) {
  write("proc/self/cgroup", "0::/docker/0123\n");
  write("sys/fs/cgroup/cpu.max", "100000 50000\n");
  EXPECT_EQ(granted(), 2);
  write("proc/self/cgroup", "0::/../sibling\n");
  write("sys/fs/cgroup/sibling/cpu.max", "10000 50000\n");
  EXPECT_EQ(granted(), 2);
}

TEST_F(GrantedCores, IsVersion1sQuotaOfTheCpuHierarchy) {
  write("proc/self/cgroup", "5:cpuset:/other\n3:cpuacct,cpu:/job\n1:name=systemd:/other\n");
  write("sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted(), 2.5);
}

TEST_F(GrantedCores, IsZeroForVersion1WithoutAQuota) {
  write("proc/self/cgroup", "1:cpu:/\n0::/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted(), 0);
}

TEST_F(GrantedCores, IgnoresLinesThatAreNone) {
  write("proc/self/cgroup", "\nnonsense\n1:cpu\n0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "100000 100000\n");
  EXPECT_EQ(granted(), 1);
}

TEST(UsableCores, FollowsTheAffinity) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int usable = usable_cores();
  EXPECT_GE(usable, 1);
  EXPECT_LE(usable, CPU_COUNT(&before));

  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace whinchat::kernels
