#include "topo/cpu_quota.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace topo {
namespace {

TEST(ParseCpuMax, ReadsQuotaOverPeriodAndNothingElse) {
  EXPECT_EQ(ParseCpuMax("200000 100000\n"), 2.0);
  EXPECT_EQ(ParseCpuMax("50000 100000"), 0.5);
  EXPECT_EQ(ParseCpuMax("max 100000\n"), std::nullopt);
  for (const char* text : {"", "200000", "1 0", "x y", "-1 100000", "1 2 3"}) {
    EXPECT_EQ(ParseCpuMax(text), std::nullopt) << text;
  }
}

TEST(ParseCfsQuota, MinusOneIsNoLimit) {
  EXPECT_EQ(ParseCfsQuota("150000\n", "100000\n"), 1.5);
  EXPECT_EQ(ParseCfsQuota("-1\n", "100000\n"), std::nullopt);
}

TEST(CgroupPath, FindsTheUnifiedHierarchyAndV1ControllersInOneFile) {
  constexpr std::string_view kHybrid =
      "12:cpuset:/docker/a\n4:cpu,cpuacct:/docker/b\n1:name=systemd:/c\n0::/user.slice\n";
  EXPECT_EQ(CgroupPath(kHybrid, ""), "/user.slice");
  EXPECT_EQ(CgroupPath(kHybrid, "cpu"), "/docker/b");
  EXPECT_EQ(CgroupPath(kHybrid, "memory"), std::nullopt);
  EXPECT_EQ(CgroupPath("", ""), std::nullopt);
}

// A tree of files that looks like a machine's /proc and /sys.
class ReadCpuQuotaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) / ("quota" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};

TEST_F(ReadCpuQuotaTest, TheTightestLimitOnTheWayUpCounts) {
  Write("proc/self/cgroup", "0::/pod/container\n");
  Write("sys/fs/cgroup/pod/container/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
  EXPECT_EQ(ReadCpuQuota(root_), 3.0);
  Write("sys/fs/cgroup/pod/container/cpu.max", "150000 100000\n");
  EXPECT_EQ(ReadCpuQuota(root_), 1.5);
}

TEST_F(ReadCpuQuotaTest, Version1IsReadWhereItIsMounted) {
  Write("proc/self/cgroup", "4:cpu,cpuacct:/job\n");
  Write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
  Write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(ReadCpuQuota(root_), 2.5);
}

TEST_F(ReadCpuQuotaTest, NoCgroupIsNoLimit) { EXPECT_EQ(ReadCpuQuota(root_), std::nullopt); }

}  // namespace
}  // namespace topo
