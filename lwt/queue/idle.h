// Which workers sleep, and how they are woken.
//
// A worker without work searches; without success it sleeps, in the kernel.
// A producer of work asks one word whether a worker sleeps while none searches,
// and only then wakes one: a searcher finds the work anyway. A searcher that
// finds work wakes the next searcher if need be.
//
// Threads: any.
// Order: a producer publishes its work, Light fence, reads state_; a worker
//   counts itself as a sleeper in state_, Heavy fence, looks for work once more.
//   One of them sees the other, so no work is left behind by sleepers.
// Progress: producers never block.
//
// tests/idle_model_test.cc runs this code under every interleaving of up to 3 preemptions (with one
// worker there is no bound), without the time limit of Sleep.
#pragma once

#include <cstdint>

#include "lwt/machine/atomic.h"
#include "lwt/machine/fence.h"

namespace lwt {

// A resource. `AtomicT<std::uint32_t>` can sleep: SleepWhile, WakeOne, WakeAll.
template <template <typename> class AtomicT, typename Fence>
class BasicIdle {
 public:
  // By a producer, after it has published work.
  void Notify() {
    if (NeedsNotice()) WakeOne();
  }
  // The two halves of Notify, for callers that do something else too.
  bool NeedsNotice() const {
    Fence::Light();  // with Sleep's Heavy
    return NeedsWaking(state_.Load(std::memory_order_relaxed));
  }
  void WakeOne() {
    epoch_.FetchAdd(1, std::memory_order_seq_cst);
    epoch_.WakeOneSleeper();
  }
  // From now on NeedsNotice is true: for workers that are simulated, which never
  // search here or sleep.
  void AlwaysNotice() { state_.Store(kSleeper, std::memory_order_relaxed); }

  void StartSearch() { state_.FetchAdd(kSearcher, std::memory_order_seq_cst); }

  // The search succeeded. To find out whether there is more work is left to another searcher.
  void EndSearch() {
    const std::uint32_t before = state_.FetchAdd(-kSearcher, std::memory_order_seq_cst);
    if (NeedsWaking(before - kSearcher)) WakeOne();
  }

  // The search failed. Sleeps unless `has_work()` by then; returns
  // when woken or after `nanoseconds`, as a searcher again.
  template <typename HasWork>
  void Sleep(HasWork has_work, std::int64_t nanoseconds) {
    const std::uint32_t epoch = epoch_.Load(std::memory_order_acquire);
    state_.FetchAdd(kSleeper - kSearcher, std::memory_order_seq_cst);
    Fence::Heavy();  // with Notify's Light
    if (!has_work()) epoch_.SleepWhile(epoch, nanoseconds);
    state_.FetchAdd(kSearcher - kSleeper, std::memory_order_seq_cst);
  }

  // How many are counted as sleepers now. The caller sees what they did before they slept.
  int sleepers() const {
    return static_cast<int>(state_.Load(std::memory_order_acquire) / kSleeper);
  }

  void WakeAll() {
    epoch_.FetchAdd(1, std::memory_order_seq_cst);
    epoch_.WakeAllSleepers();
  }

 private:
  static constexpr std::uint32_t kSearcher = 1, kSleeper = 1 << 16;
  static bool NeedsWaking(std::uint32_t state) {
    return state >= kSleeper && state % kSleeper == 0;
  }
  alignas(64) AtomicT<std::uint32_t> state_{0};  // sleepers above, searchers below
  alignas(64) AtomicT<std::uint32_t> epoch_{0};  // raised by each waking; slept on
};

using Idle = BasicIdle<Atomic, Fence>;

}  // namespace lwt
