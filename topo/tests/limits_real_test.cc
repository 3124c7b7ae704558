// Limits for real: a CPU quota and an offline PU, each set by numa_guest_test
// (TOPO_GUEST says which); elsewhere there is nothing to see.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "topo/tests/machines.h"
#include "topo/threads.h"

namespace topo {
namespace {

bool Guest(std::string_view what) {
  const char* guest = std::getenv("TOPO_GUEST");
  return guest != nullptr && what == guest;
}

TEST(LimitsReal, ACgroupsQuotaLimitsTheThreadsAndNotThePus) {
  if (!Guest("quota")) GTEST_SKIP() << "needs the guest with a CPU quota";
  ASSERT_TRUE(Here().cpu_quota().has_value());
  EXPECT_DOUBLE_EQ(*Here().cpu_quota(), 1.5);
  EXPECT_EQ(Here().default_threads(), 2);
  EXPECT_EQ(Here().allowed_pus(), 8);
}

TEST(LimitsReal, AnOfflinePuIsCountedAndEveryOtherOneRunsAThread) {
  if (!Guest("offline")) GTEST_SKIP() << "needs the guest with an offline PU";
  EXPECT_EQ(Here().offline_pus(), 1);
  EXPECT_EQ(Here().allowed_pus(), 7);
  EXPECT_EQ(Here().Find(PuId{3}), nullptr);
  const Mapping mapping = *Plan(Here(), Policy::kScatter, 7);
  const absl::Status status = RunThreads(Here(), mapping, [](const Slot&) {});
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace topo
