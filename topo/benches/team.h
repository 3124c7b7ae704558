// How every contestant's barrier is timed: the same threads on the same PUs,
// the same count of rounds, the clock read by the first thread inside.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>

#include "topo/topo.h"

namespace topo {

inline constexpr int kBarrierRounds = 20'000;

inline Mapping Team(const Topology& here, int threads) {
  return *Plan(here, Policy::kCompact, threads,
               {.oversubscribe = PlanOptions::Oversubscribe::kAllow});
}

// Times `rounds` calls of `barrier` after a first one that gathers the threads.
// To be called by each thread of a team; thread 0's result is the team's.
template <typename Barrier>
double SecondsOf(int rounds, Barrier barrier) {
  barrier();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) barrier();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace topo
