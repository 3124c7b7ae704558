// What a simulated run costs, and how its time is split.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/simulation.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""ms;

std::unique_ptr<Pool> Simulated(int workers) {
  return *Pool::Create({.workers = workers, .simulation = SimulationOptions{}});
}

TEST(SimulatedCosts, ABlockIsFetchedOnce) {
  const auto pool = Simulated(1);
  alignas(4096) static char block[4096];
  const auto cost = [&] {
    const double before = pool->simulated_ns();
    Touch(block, sizeof block, Access::kRead);
    return pool->simulated_ns() - before;
  };
  pool->Run([&] {
    EXPECT_GT(cost(), 500) << "from memory";
    EXPECT_EQ(cost(), 0) << "from the cache";
  });
}

TEST(SimulatedCosts, ABlockThatDoesNotFitAnyMoreIsFetchedAgain) {
  const auto pool = Simulated(1);
  static std::vector<char> blocks(1000 * 4096);
  const auto cost = [&] {
    const double before = pool->simulated_ns();
    Touch(blocks.data(), 4096, Access::kRead);
    return pool->simulated_ns() - before;
  };
  pool->Run([&] {
    Touch(blocks.data(), blocks.size(), Access::kRead);
    EXPECT_GT(cost(), 500) << "1000 blocks do not fit into 512";
  });
}

double SumOfClocks(const Pool& pool) {
  double sum = 0;
  for (int i = 0; i < pool.workers(); ++i) sum += pool.Nanoseconds(i);
  return sum;
}

TEST(SimulatedCosts, ThePartsOfTheTimeAddUpToTheClocks) {
  static std::vector<char> blocks(600 * 4096);
  for (const int workers : {1, 2, 32}) {
    const auto pool = Simulated(workers);
    pool->Run([] {
      std::vector<Thread> threads;
      for (int i = 0; i < 256; ++i) threads.push_back(Spawn([] { Compute(10'000); }));
      for (Thread& thread : threads) thread.Join();
      Touch(blocks.data(), blocks.size(), Access::kWrite);
      SleepFor(1ms);
    });
    const SimulatedTime time = pool->simulated_time();
    EXPECT_NEAR(time.total_ns(), SumOfClocks(*pool), 1) << workers;
    EXPECT_NEAR(time.computing_ns, 256 * 10'000, 256 * 1'000) << workers;
    EXPECT_GT(time.fetching_ns, 0) << workers;
    EXPECT_GT(time.threads_ns, 0) << workers;
    EXPECT_EQ(time.stealing_ns > 0, workers > 1) << workers;
    EXPECT_GT(time.looking_ns, 0) << "for a sleeper, and all but one before there was work";
    EXPECT_GT(time.skipped_ns, 0) << workers;
  }
}

// Costs as they are written.
SimulationOptions TwoNodesWithoutJitter() {
  SimulationOptions options;
  options.costs.jitter = 0;
  options.node_of = {0, 1};
  options.node_distances = {10, 16, 16, 10};
  return options;
}

TEST(SimulatedCosts, TheTimeOfOneWorkerIsCountedToTheLastNanosecond) {
  SimulationOptions options = TwoNodesWithoutJitter();
  options.costs.private_blocks = 2;
  const auto pool = *Pool::Create({.workers = 1, .simulation = options});
  alignas(4096) static char blocks[3 * 4096];
  pool->Run([] {
    Compute(1'000);
    Touch(blocks, sizeof blocks, Access::kRead);  // Three from memory.
    Touch(blocks, 1, Access::kRead);              // Gone from the own cache, still in the node's.
    Touch(blocks, 1, Access::kRead);              // In the own cache.
    Event may_end;
    Thread child = Spawn([&] {
      may_end.Wait();
      Compute(10);
    });
    may_end.Set();
    child.Join();
  });
  const SimulatedTime time = pool->simulated_time();
  EXPECT_EQ(time.computing_ns, 1'010);
  EXPECT_EQ(time.fetching_ns, 3 * 900 + 250);
  EXPECT_EQ(time.blocks_from_own_node, 3);
  EXPECT_EQ(time.blocks_from_shared_cache, 1);
  EXPECT_EQ(time.blocks_from_other_nodes, 0);
  EXPECT_EQ(time.threads_ns, 90 + 2 * 40) << "a spawn with its join, and two that wait";
  EXPECT_EQ(time.stealing_ns, 0);
  EXPECT_EQ(time.looking_ns, 100) << "once, after the last thread";
  EXPECT_EQ(time.skipped_ns, 0);
  EXPECT_EQ(SumOfClocks(*pool), time.total_ns());
}

TEST(SimulatedCosts, AThiefPaysForTheWayAndForTheBlocksThatItLeftBehind) {
  const auto pool = *Pool::Create({.workers = 2, .simulation = TwoNodesWithoutJitter()});
  alignas(4096) static char block[4096];
  pool->Run([] {
    Touch(block, sizeof block, Access::kWrite);
    const int before = Worker::Current()->index();
    Thread child = Spawn([] { Compute(100'000); });
    EXPECT_NE(Worker::Current()->index(), before) << "the continuation was stolen";
    Touch(block, sizeof block, Access::kRead);
    child.Join();
  });
  const SimulatedTime time = pool->simulated_time();
  std::int64_t steals = 0;
  for (int i = 0; i < 2; ++i) steals += pool->worker(i).counters().steals.value();
  EXPECT_GE(steals, 1);
  EXPECT_EQ(time.stealing_ns, static_cast<double>(steals) * 500 * 1.6);
  EXPECT_EQ(time.blocks_from_own_node, 1) << "its first use";
  EXPECT_EQ(time.blocks_from_other_nodes, 1);
  EXPECT_EQ(time.fetching_ns, 900 + 900 * 1.6);
}

TEST(SimulatedCosts, AMemoryGivesOneBlockAfterTheOther) {
  SimulationOptions options = TwoNodesWithoutJitter();
  options.costs.node_block_ns = 5'000;
  const auto pool = *Pool::Create({.workers = 1, .simulation = options});
  alignas(4096) static char blocks[3 * 4096];
  pool->Run([] { Touch(blocks, sizeof blocks, Access::kRead); });
  // The third begins when the memory has given two, and then takes its own time.
  EXPECT_EQ(pool->simulated_time().fetching_ns, 2 * 5'000 + 900);
}

TEST(SimulatedCosts, WhatHasAHomeIsThereForAllWorkersUntilItIsWritten) {
  SimulationOptions options = TwoNodesWithoutJitter();
  options.node_of = {1, 0};
  options.home_node = 0;
  const auto pool = *Pool::Create({.workers = 1, .simulation = options});
  alignas(4096) static char block[4096];
  pool->Run([] { Touch(block, sizeof block, Access::kRead); });
  EXPECT_EQ(pool->simulated_time().fetching_ns, 900 * 1.6) << "from node 0";
  EXPECT_EQ(pool->simulated_time().blocks_from_other_nodes, 1);
}

TEST(SimulatedCosts, AWrittenBlockThatNoCacheHasRoomForGoesHome) {
  SimulationOptions options = TwoNodesWithoutJitter();
  options.node_of = {1, 0};
  options.home_node = 0;
  options.costs.private_blocks = 1;
  options.costs.shared_blocks = 1;
  options.costs.node_block_ns = 10'000;
  const auto pool = *Pool::Create({.workers = 1, .simulation = options});
  alignas(4096) static char blocks[2 * 4096];
  pool->Run([] {
    Touch(blocks, 4096, Access::kWrite);
    Compute(20'000);  // The memory is free again.
    const double before = Worker::Current()->pool().simulated_ns();
    Touch(blocks + 4096, 4096, Access::kRead);  // In place of the first, which goes home first.
    EXPECT_EQ(Worker::Current()->pool().simulated_ns() - before, 10'000 + 900 * 1.6);
  });
}

TEST(SimulatedCosts, APeekCostsByTheWay) {
  SimulationOptions options = TwoNodesWithoutJitter();
  options.costs.peek_ns = 1'000;
  const auto pool = *Pool::Create({.workers = 2, .simulation = options});
  pool->Run([] {
    Worker& self = *Worker::Current();
    const double before = self.pool().Nanoseconds(self.index());
    (void)self.victim(1 - self.index()).Peek<int>();
    EXPECT_EQ(self.pool().Nanoseconds(self.index()) - before, 1'600);
    (void)self.victim(self.index()).Peek<int>();
    EXPECT_EQ(self.pool().Nanoseconds(self.index()) - before, 1'600) << "its own is near";
  });
}

TEST(SimulatedCosts, TheOwnerOfALockedQueueWaits) {
  const auto threads_ns = [](double lock_ns) {
    SimulationOptions options = TwoNodesWithoutJitter();
    options.costs.lock_ns = lock_ns;
    const auto pool = *Pool::Create({.workers = 2, .simulation = options});
    pool->Run([] {
      for (int i = 0; i < 20; ++i) {
        Thread child = Spawn([] { Compute(1'000); });
        child.Join();
      }
    });
    std::int64_t steals = 0;
    for (int i = 0; i < 2; ++i) steals += pool->worker(i).counters().steals.value();
    EXPECT_GT(steals, 0);
    return pool->simulated_time().threads_ns;
  };
  EXPECT_GT(threads_ns(50'000), threads_ns(0) + 50'000);
}

TEST(SimulatedCosts, RealWorkersHaveNoSimulatedTime) {
  const auto pool = *Pool::Create({.workers = 1});
  pool->Run([] { Compute(1'000); });
  EXPECT_EQ(pool->simulated_time().total_ns(), 0);
}

}  // namespace
}  // namespace lwt
