// The counters of an executor.
#pragma once

#include <atomic>
#include <cstdint>

#include "topo/atomic.h"

namespace llcl {

// A value.
struct ExecutorCounts {
  std::uint64_t posted_by_callers = 0;
  std::uint64_t posted_from_ring = 0;
  std::uint64_t batches = 0;  // of commands from the ring
  std::uint64_t sleeps = 0;
  std::uint64_t wakings = 0;  // by callers
  std::uint64_t rounds = 0;   // in which the progress thread looked for something to do
};

// ExecutorCounts while they are counted. Threads: any.
struct ExecutorCounters {
  topo::Atomic<std::uint64_t> posted_by_callers{0}, posted_from_ring{0}, batches{0}, sleeps{0},
      wakings{0}, rounds{0};

  static void Add(topo::Atomic<std::uint64_t>& counter, std::uint64_t amount = 1) {
    counter.FetchAdd(amount, std::memory_order_relaxed);
  }
  ExecutorCounts Read() const {
    const auto read = [](const topo::Atomic<std::uint64_t>& counter) {
      return counter.Load(std::memory_order_relaxed);
    };
    return {.posted_by_callers = read(posted_by_callers),
            .posted_from_ring = read(posted_from_ring),
            .batches = read(batches),
            .sleeps = read(sleeps),
            .wakings = read(wakings),
            .rounds = read(rounds)};
  }
};

}  // namespace llcl
