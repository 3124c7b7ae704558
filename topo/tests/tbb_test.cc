#include "topo/tbb.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "topo/affinity.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

TEST(NodeArenas, TasksRunOnPinnedThreadsOfTheirNodeOnly) {
  const Mapping mapping = *Plan(Here(), Policy::kCompact, Here().allowed_pus());
  NodeArenas arenas(Here(), mapping);
  ASSERT_EQ(arenas.size(), static_cast<int>(mapping.nodes().size()));
  std::atomic<long> sum = 0;
  std::atomic<int> misplaced = 0;
  arenas.RunOnEach([&](int node_index) {
    tbb::parallel_for(0, 1000, [&](int i) {
      const Slot* slot = CurrentSlot();
      if (slot == nullptr || slot->node != mapping.nodes()[node_index] ||
          PuId{sched_getcpu()} != slot->pu) {
        ++misplaced;
      }
      sum += i;
    });
  });
  EXPECT_EQ(sum, 499'500 * arenas.size());
  EXPECT_EQ(misplaced, 0);
  EXPECT_TRUE(arenas.status().ok()) << arenas.status();
}

TEST(NodeArenas, TheCallerGetsItsMaskBack) {
  const PuSet before = *AffinityMask(0);
  {
    NodeArenas arenas(Here(), *Plan(Here(), Policy::kScatter, Here().allowed_pus()));
    arenas.RunOnEach([](int) {});
    EXPECT_EQ(*AffinityMask(0), before);
  }
  EXPECT_EQ(CurrentSlot(), nullptr);
}

TEST(NodeArenas, ASimulatedMachineHasAnArenaANodeAndTheFailedPinIsReported) {
  const Topology machine = Synthetic("pack:2 [numa] core:1 pu:1");
  NodeArenas arenas(machine, *Plan(machine, Policy::kScatter, 2));
  std::mutex mutex;
  std::multiset<int> nodes;
  arenas.RunOnEach([&](int node) {
    std::lock_guard lock(mutex);
    nodes.insert(node);
  });
  EXPECT_EQ(nodes, (std::multiset<int>{0, 1}));
  EXPECT_EQ(arenas.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(NodeArenas, AnExceptionOfOneNodeWaitsForTheOthers) {
  const Topology machine = Synthetic("pack:3 [numa] core:1 pu:1");
  NodeArenas arenas(machine, *Plan(machine, Policy::kScatter, 3));
  std::atomic<int> ended = 0;
  const auto body = [&](int node) {
    ++ended;
    if (node == 0) throw std::runtime_error("node 0");
  };
  EXPECT_THROW(arenas.RunOnEach(body), std::runtime_error);
  EXPECT_EQ(ended, 3);
}

TEST(NodeArenas, AnExceptionOfABodyReachesTheCaller) {
  NodeArenas arenas(Here(), *Plan(Here(), Policy::kCompact, 1));
  EXPECT_THROW(arenas.RunOnEach([](int) { throw std::runtime_error("body"); }), std::runtime_error);
}

}  // namespace
}  // namespace topo
