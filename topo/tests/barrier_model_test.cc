// topo/barrier.h's own code under the interleavings of its steps.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tools/model/interleavings.h"
#include "topo/barrier.h"
#include "topo/node_loop.h"
#include "topo/tests/machines.h"

namespace topo {
namespace {

using ModelBarrier = BasicBarrier<model::Atomic>;

// What each thread has arrived for, to be looked at by the others.
struct Rounds {
  explicit Rounds(int threads) : arrived(threads, 0) {}
  // No thread leaves round `round` before all have arrived for it, and none is
  // two rounds ahead.
  void CheckAfter(int round) const {
    for (int seen : arrived) {
      model::Require(seen >= round, "nobody leaves before all have arrived");
      model::Require(seen <= round + 1, "nobody is two rounds ahead");
    }
  }
  std::vector<int> arrived;
};

template <typename B>
model::Program Synchronize(int threads, int rounds, std::shared_ptr<B> barrier) {
  auto state = std::make_shared<Rounds>(threads);
  model::Program program;
  for (int thread = 0; thread < threads; ++thread) {
    program.threads.push_back([=] {
      for (int round = 1; round <= rounds; ++round) {
        state->arrived[thread] = round;
        barrier->ArriveAndWait();
        state->CheckAfter(round);
      }
    });
  }
  return program;
}

TEST(BarrierModel, TwoThreadsTwoRoundsUnderEveryInterleaving) {
  const model::Outcome outcome =
      model::ExploreAll([] { return Synchronize(2, 2, std::make_shared<ModelBarrier>(2)); });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
  EXPECT_GT(outcome.interleavings, 20);
}

TEST(BarrierModel, ThreeThreadsOneRoundUnderEveryInterleaving) {
  const model::Outcome outcome =
      model::ExploreAll([] { return Synchronize(3, 1, std::make_shared<ModelBarrier>(3)); });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(BarrierModel, ThreeThreadsThreeRoundsWithUpToTwoPreemptions) {
  const model::Outcome outcome = model::ExploreAll(
      [] { return Synchronize(3, 3, std::make_shared<ModelBarrier>(3)); }, {.preemptions = 2});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(BarrierModel, TheHierarchicalBarrierHoldsAllNodesTogether) {
  const Topology machine = Synthetic("pack:2 [numa] core:2 pu:1");
  const Mapping mapping = *Plan(machine, Policy::kScatter, 3);  // two threads and one
  const model::Outcome outcome = model::ExploreAll(
      [&] {
        struct Hierarchical {
          explicit Hierarchical(const Mapping& mapping) : team(mapping) {}
          BasicTeamBarrier<model::Atomic> team;
        };
        auto barrier = std::make_shared<Hierarchical>(mapping);
        auto state = std::make_shared<Rounds>(3);
        model::Program program;
        for (const Slot& slot : mapping.slots()) {
          program.threads.push_back([=] {
            for (int round = 1; round <= 2; ++round) {
              state->arrived[slot.thread] = round;
              barrier->team.Hierarchical(slot);
              state->CheckAfter(round);
            }
          });
        }
        return program;
      },
      {.preemptions = 2});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// The barrier with one line wrong: the counter is cleared after the others were
// let go, so a fast thread's next arrival is lost.
class LateReset {
 public:
  explicit LateReset(int threads) : threads_(threads), arrived_(0), phase_(0) {}
  void ArriveAndWait() {
    const int phase = phase_.Load(std::memory_order_relaxed);
    if (arrived_.FetchAdd(1, std::memory_order_acq_rel) + 1 < threads_) {
      phase_.WaitWhile(phase);
      return;
    }
    phase_.Store(phase + 1, std::memory_order_release);
    phase_.WakeAll();
    arrived_.Store(0, std::memory_order_relaxed);
  }

 private:
  const int threads_;
  model::Atomic<int> arrived_, phase_;
};

TEST(BarrierModel, ABarrierThatClearsItsCounterTooLateIsCaught) {
  const model::Outcome outcome =
      model::ExploreAll([] { return Synchronize(2, 2, std::make_shared<LateReset>(2)); });
  EXPECT_NE(outcome.failure, "");
}

TEST(NodeLoopModel, EveryIndexIsHandedOutOnceUnderEveryInterleaving) {
  const model::Outcome outcome = model::ExploreAll([] {
    const std::vector<std::int64_t> totals = {5};
    auto loop = std::make_shared<BasicNodeLoop<model::Atomic>>(totals, 2);
    auto taken = std::make_shared<std::vector<int>>(5, 0);
    auto take = [=] {
      while (const std::optional<Range> range = loop->Next(0)) {
        model::Require(!range->empty(), "no chunk is empty");
        for (std::int64_t i = range->begin; i < range->end; ++i) ++(*taken)[i];
      }
    };
    return model::Program{{take, take}, [=] {
                            for (int count : *taken) {
                              model::Require(count == 1, "each index is handed out once");
                            }
                          }};
  });
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

}  // namespace
}  // namespace topo
