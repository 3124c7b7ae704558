#include "lwt/worker_local.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

TEST(WorkerLocal, WhatAllWorkersGatherIsComplete) {
  const auto pool = *Pool::Create({.workers = 4});
  WorkerLocal<std::int64_t> sums(*pool, 0);
  ASSERT_EQ(sums.size(), 4);
  for (int round = 1; round <= 3; ++round) {
    pool->Run([&] {
      ParallelFor(0, 100'000, 10, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) sums.Here() += i;
      });
    });
    std::int64_t all = 0;
    for (const std::int64_t sum : sums) all += sum;
    EXPECT_EQ(all, round * 4'999'950'000);
  }
}

TEST(WorkerLocal, EachWorkerHasAValueMadeOfTheArgumentsInCacheLinesOfItsOwn) {
  const auto pool = *Pool::Create({.workers = 3});
  WorkerLocal<std::string> words(*pool, 5u, 'x');
  for (const std::string& word : words) EXPECT_EQ(word, "xxxxx");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&words[i]) % 128, 0u);
  }
}

TEST(WorkerLocal, OfSimulatedWorkersTooEachHasItsOwn) {
  const auto pool = *Pool::Create({.workers = 16, .simulation = SimulationOptions{}});
  WorkerLocal<int> pieces(*pool, 0);
  pool->Run([&] { ParallelFor(0, 1000, 1, [&](std::int64_t, std::int64_t) { ++pieces.Here(); }); });
  int all = 0, used = 0;
  for (const int count : pieces) all += count, used += count > 0;
  EXPECT_EQ(all, 1000);
  EXPECT_GT(used, 1);
}

TEST(WorkerLocalDeathTest, AThreadOfAnotherPoolIsABrokenContract) {
  EXPECT_DEATH(
      {
        const auto pool = *Pool::Create({.workers = 1});
        WorkerLocal<int> values(*pool, 0);
        (*Pool::Create({.workers = 1}))->Run([&] { values.Here() = 1; });
      },
      "of its own pool");
}

}  // namespace
}  // namespace lwt
