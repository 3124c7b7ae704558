#include "apps/program/memory.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace program {
namespace {

// A root with a /proc and cgroups as a test writes them.
class AvailableBytesTest : public testing::Test {
 protected:
  AvailableBytesTest() {
    root_ = std::filesystem::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
    Write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable:    8000000 kB\n");
  }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::filesystem::path root_;
};

TEST_F(AvailableBytesTest, WithoutCgroupsItIsWhatTheSystemHasAvailable) {
  EXPECT_EQ(AvailableBytes(root_), 8'000'000ull * 1024);
}

TEST_F(AvailableBytesTest, ALimitOfVersion2LeavesItselfLessWhatIsHeld) {
  Write("proc/self/cgroup", "0::/job/step\n");
  Write("sys/fs/cgroup/job/step/memory.max", "max\n");
  Write("sys/fs/cgroup/job/step/memory.current", "10\n");
  Write("sys/fs/cgroup/job/memory.max", "5000000000\n");
  Write("sys/fs/cgroup/job/memory.current", "3000000000\n");
  Write("sys/fs/cgroup/job/memory.stat", "anon 2000000000\ninactive_file 1000000000\n");
  EXPECT_EQ(AvailableBytes(root_), 3'000'000'000ull);
}

TEST_F(AvailableBytesTest, ALimitOfVersion1CountsToo) {
  Write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/box\n0::/\n");
  Write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2000000000\n");
  Write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "500000000\n");
  EXPECT_EQ(AvailableBytes(root_), 1'500'000'000ull);
}

TEST_F(AvailableBytesTest, AGroupAboveItsLimitHasNothingLeft) {
  Write("proc/self/cgroup", "0::/job\n");
  Write("sys/fs/cgroup/job/memory.max", "1000\n");
  Write("sys/fs/cgroup/job/memory.current", "3000\n");
  EXPECT_EQ(AvailableBytes(root_), 0u);
}

TEST(AvailableBytesOfNothingTest, WhereNothingTellsThereIsNoNumber) {
  EXPECT_EQ(AvailableBytes("/nonexistent"), std::nullopt);
  EXPECT_EQ(ParseMemAvailable("MemTotal: 5 kB\n"), std::nullopt);
}

}  // namespace
}  // namespace program
