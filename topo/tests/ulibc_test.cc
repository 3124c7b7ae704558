// The paper's functions one by one, on its machine (TOPO_TOPOLOGY in BUILD) and
// without OpenMP.
#include "topo/ulibc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <string>
#include <vector>

namespace {

using ::testing::HasSubstr;

TEST(Ulibc, WithoutACallThePolicyIsScatter) {
  // 64 PUs, no OpenMP: 64 threads.
  EXPECT_EQ(get_online_numa_nodes(), 4);
  EXPECT_EQ(get_numa_procid(1), 8);
}

TEST(Ulibc, EachPolicyGivesTheRowsOfThePapersTable3) {
  ASSERT_EQ(set_affinity_policy(COMPACT), 0);
  EXPECT_EQ(get_numa_procid(8), 32);
  EXPECT_EQ(get_numa_nodeid(16), 1);
  ASSERT_EQ(set_affinity_policy(COMPACT_PLUS), 0);
  EXPECT_EQ(get_numa_procid(8), 8);
  EXPECT_EQ(get_numa_smtid(32), 1);
  EXPECT_EQ(get_numa_coreid(33), 1);
  ASSERT_EQ(set_affinity_policy(SCATTER), 0);
  EXPECT_EQ(get_numa_procid(63), 63);
  EXPECT_EQ(get_numa_ordcoreid(63), 15);
}

TEST(Ulibc, EveryThreadOfANodeHasItsOwnOrdinalUpToTheOnlineCores) {
  set_affinity_policy(SCATTER);
  std::vector<std::set<int>> ordinals(get_online_numa_nodes());
  for (int id = 0; id < 64; ++id) {
    EXPECT_TRUE(ordinals[get_numa_nodeid(id)].insert(get_numa_ordcoreid(id)).second);
  }
  for (int node = 0; node < get_online_numa_nodes(); ++node) {
    EXPECT_EQ(get_online_numa_cores(node), 16);
    EXPECT_EQ(get_numa_online_cores(node), 16);
    EXPECT_EQ(*ordinals[node].rbegin(), 15);
  }
}

TEST(Ulibc, ThreadsBeyondThePusGoRound) {
  set_affinity_policy(SCATTER);
  EXPECT_EQ(get_numa_procid(64), get_numa_procid(0));
  EXPECT_EQ(get_numa_ordcoreid(64), 16);
  EXPECT_EQ(get_numa_ordcoreid(129), get_numa_ordcoreid(1) + 32);
}

TEST(Ulibc, WrongArgumentsGiveMinusOneErrnoAndASentence) {
  const auto expect = [](int result, int code, const char* words) {
    EXPECT_EQ(result, -1);
    EXPECT_EQ(errno, code);
    EXPECT_THAT(ulibc_error(), HasSubstr(words));
  };
  expect(set_affinity_policy(7), EINVAL, "policy 7 is none of");
  expect(get_numa_procid(-1), EINVAL, "thread ID -1 is negative");
  expect(get_online_numa_cores(4), EINVAL, "node ID 4 has no threads: there are 4 nodes in use");
  expect(set_affinity(64), EINVAL, "processor ID 64 does not exist");
  expect(set_affinity(0), ENOTSUP, "rehearsed machine");
}

TEST(Ulibc, MemoryIsZeroedAndFreedAndRefusedWithAReason) {
  auto* numbers = static_cast<long*>(lmalloc(8000, 3));
  ASSERT_NE(numbers, nullptr);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(numbers[i], 0);
  lfree(numbers);
  lfree(nullptr);
  EXPECT_EQ(lmalloc(8, 4), nullptr);
  EXPECT_EQ(lmalloc(0, 0), nullptr);
  EXPECT_THAT(ulibc_error(), HasSubstr("cannot allocate 0 bytes"));
}

TEST(UlibcDeathTest, FreeingWhatIsNotALocalBlockIsABrokenContract) {
  int here = 0;
  EXPECT_DEATH(lfree(&here), "not a block that lmalloc gave");
}

}  // namespace
