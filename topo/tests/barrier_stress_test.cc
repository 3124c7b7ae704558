// Real threads on real atomics; meant for ThreadSanitizer. Bounded by counts.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "topo/barrier.h"
#include "topo/node_loop.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

constexpr int kRounds = 2'000;
constexpr int kThreads = 4;

// Plain, unsynchronized cells: TSan sees it if the barrier does not order them.
template <typename Arrive>
void Stress(const Mapping& mapping, Arrive arrive) {
  std::vector<long> cells(mapping.size(), 0);
  std::vector<std::jthread> threads;
  for (const Slot& slot : mapping.slots()) {
    threads.emplace_back([&, slot] {
      for (long round = 1; round <= kRounds; ++round) {
        cells[slot.thread] = round;
        arrive(slot);
        const long sum = std::accumulate(cells.begin(), cells.end(), 0L);
        ASSERT_EQ(sum, round * mapping.size());
        arrive(slot);
      }
    });
  }
}

Mapping TwoNodesOfTwo() {
  return *Plan(Synthetic("pack:2 [numa] core:2 pu:1"), Policy::kScatter, kThreads);
}

TEST(BarrierStress, AllThreadsSeeWhatAllWroteBefore) {
  const Mapping mapping = TwoNodesOfTwo();
  TeamBarrier barrier(mapping);
  Stress(mapping, [&](const Slot&) { barrier.All(); });
}

TEST(BarrierStress, TheHierarchicalBarrierOrdersAcrossNodes) {
  const Mapping mapping = TwoNodesOfTwo();
  TeamBarrier barrier(mapping);
  Stress(mapping, [&](const Slot& slot) { barrier.Hierarchical(slot); });
}

TEST(BarrierStress, ANodesBarrierOrdersThatNodesThreads) {
  const Mapping mapping = TwoNodesOfTwo();
  TeamBarrier barrier(mapping);
  std::vector<long> cells(kThreads, 0);
  std::vector<std::jthread> threads;
  for (const Slot& slot : mapping.slots()) {
    threads.emplace_back([&, slot] {
      const int other = (slot.thread + 2) % kThreads;  // the other one of the same node
      for (long round = 1; round <= kRounds; ++round) {
        cells[slot.thread] = round;
        barrier.Node(slot);
        ASSERT_EQ(cells[other], round);
        barrier.Node(slot);
      }
    });
  }
}

TEST(BarrierStress, ASingleThreadNeverWaits) {
  Barrier barrier(1);
  for (int i = 0; i < kRounds; ++i) barrier.ArriveAndWait();
}

TEST(NodeLoopStress, EveryIndexIsHandedOutOnceAndResetDealsAgain) {
  const std::vector<std::int64_t> totals = {10'001, 0, 7};
  NodeLoop loop(totals, 3);
  for (int deal = 0; deal < 2; ++deal) {
    std::vector<std::atomic<int>> taken(10'001);
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
          while (const auto range = loop.Next(0)) {
            for (std::int64_t j = range->begin; j < range->end; ++j) ++taken[j];
          }
        });
      }
    }
    for (auto& count : taken) ASSERT_EQ(count, 1);
    EXPECT_EQ(loop.Next(1), std::nullopt);
    EXPECT_EQ(loop.Next(2), (Range{0, 3}));
    loop.Reset();
  }
}

}  // namespace
}  // namespace topo
