// The counters that the members of a region share: each loop whose chunks are dealt out has one,
// while a member is in it. Members may be in different loops (nowait), as many as there are
// counters apart.
//
// Threads: any member. Order: what came before Leave of the last member happens before what follows
//   Enter of the counter's next loop (generation: release, acquire).
#pragma once

#include <array>
#include <atomic>

#include "topo/atomic.h"

namespace taskrt {

// A resource: of one loop at a time.
struct SharedLoop {
  alignas(64) std::atomic<long> next{0};     // iteration that nobody has
  alignas(64) std::atomic<long> ordered{0};  // iteration whose `ordered` comes next
  std::atomic<int> left{0};                  // members that have left it
  std::atomic<unsigned> generation{0};       // how many loops it has been of
};

// A resource of a team.
class SharedLoops {
 public:
  // The `number`-th of a member's loops; `wait()` lets others go on, while some are in the loop
  // that had the counter before.
  template <typename Wait>
  SharedLoop& Enter(unsigned number, Wait wait) {
    SharedLoop& loop = loops_[number % kLoops];
    while (loop.generation.load(std::memory_order_acquire) != number / kLoops) wait();
    return loop;
  }
  void Leave(SharedLoop& loop, int members) {
    if (loop.left.fetch_add(1, std::memory_order_acq_rel) + 1 < members) return;
    loop.next.store(0, std::memory_order_relaxed);
    loop.ordered.store(0, std::memory_order_relaxed);
    loop.left.store(0, std::memory_order_relaxed);
    loop.generation.fetch_add(1, std::memory_order_release);
  }
  // For the next region, while no member is in one.
  void Reset() {
    for (SharedLoop& loop : loops_) loop.generation.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kLoops = 8;
  std::array<SharedLoop, kLoops> loops_;
};

}  // namespace taskrt
