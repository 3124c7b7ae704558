// Who holds a mutex, so that threads which wait for each other for ever are found
// at once.
//
// Who takes a mutex leaves its stack pointer in it: one instruction, that names the
// thread to whoever looks up whose stack that is. Who has to wait says for which
// mutex, and follows the chain of owners that wait themselves (wait_cycle.h).
// Only a wait takes the lock of the pool's graph; who gets its mutex at once does
// nothing of this.
//
// Owners are known to threads of the same pool: a cycle through threads of two
// pools, or through OS threads outside of pools, is not found.
//
// Threads: Set and Clear by who holds the mutex; the rest by the thread that waits.
// Order: a thread's marks come before the edge that it publishes next (the graph's
//   lock; of a join, awaits: release, acquire). Clear comes before the mutex is
//   free, so a mark is never that of who has held it before. While one is being
//   taken or handed over nobody is known to hold it; who does then will run, and is
//   in no cycle before it waits itself.
//   A joiner and who waits for a mutex: each publishes its edge and then looks for
//   the other's (awaits and Threads::MutexWaits, seq_cst), so one sees the cycle.
// Progress: a wait holds the graph's lock for a walk of kLongestCycle at the most.
//
// tests/owner_model_test.cc runs this code under every interleaving.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lwt/atomic.h"
#include "lwt/wait_cycle.h"

namespace lwt {

// As many threads as a cycle may have to be found at once.
inline constexpr std::size_t kLongestCycle = 128;

// A value inside of a mutex. `Threads` says which thread runs, and on whose stack a
// stack pointer is. A Threads::Thread has `AtomicT<std::uintptr_t> awaits`: 0, the
// BasicOwner that it waits for, or the thread that it joins + 1.
template <template <typename> class AtomicT, typename Threads>
class BasicOwner {
 public:
  using Thread = typename Threads::Thread;

  void Set() { Threads::Mark(mark_); }
  void Clear() { mark_.Store(0, std::memory_order_relaxed); }

  // The calling thread, in the list of those who wait for this mutex, is about to
  // wait: from here on others see it. If it waits for itself: Threads::OnCycle.
  void BeginWait() {
    Thread* const self = Threads::Self();
    if (self == nullptr) return;
    Threads::MutexWaits(*self).FetchAdd(+1, std::memory_order_seq_cst);
    Search(*self, reinterpret_cast<std::uintptr_t>(this));
  }
  void EndWait() {
    Thread* const self = Threads::Self();
    if (self == nullptr) return;
    // With the lock: who follows the edge may use this until it is gone.
    Threads::Graph(*self).Lock();
    self->awaits.Store(0, std::memory_order_release);
    Threads::Graph(*self).Unlock();
    Threads::MutexWaits(*self).FetchAdd(-1, std::memory_order_seq_cst);
  }

  // The same for who waits for the end of `joined`, of the same pool. EndJoin comes
  // before the joined thread's descriptor can be another's.
  static void BeginJoin(Thread& joined) {
    Thread& self = *Threads::Self();
    const std::uintptr_t edge = reinterpret_cast<std::uintptr_t>(&joined) + 1;
    self.awaits.Exchange(edge, std::memory_order_seq_cst);
    // Without a mutex in it there is no cycle: nobody joins who joins it.
    if (Threads::MutexWaits(self).Load(std::memory_order_seq_cst) > 0) Search(self, edge);
  }
  static void EndJoin() { Threads::Self()->awaits.Store(0, std::memory_order_release); }

 private:
  static Thread* WaitsFor(const Thread& thread) {
    const std::uintptr_t edge = thread.awaits.Load(std::memory_order_acquire);
    if (edge == 0) return nullptr;
    if (edge % 2 == 1) return reinterpret_cast<Thread*>(edge - 1);
    const std::uintptr_t mark =
        reinterpret_cast<BasicOwner*>(edge)->mark_.Load(std::memory_order_acquire);
    return mark == 0 ? nullptr : Threads::Marked(mark, thread);
  }

  static void Search(Thread& self, std::uintptr_t edge) {
    std::array<Thread*, kLongestCycle> cycle;
    Threads::Graph(self).Lock();
    self.awaits.Store(edge, std::memory_order_release);
    const std::size_t length = FindCycle(self, std::span<Thread*>(cycle), &WaitsFor);
    // With the lock, so that of two that find the same one does.
    if (length > 0) Threads::OnCycle(self, std::span<Thread* const>(cycle).first(length));
    Threads::Graph(self).Unlock();
  }

  AtomicT<std::uintptr_t> mark_{0};
};

// Of mutexes that nobody asks about, as those of models.
struct UnknownOwner {
  void Set() {}
  void Clear() {}
  void BeginWait() {}
  void EndWait() {}
};

struct Descriptor;

// The threads of pools, for BasicOwner.
struct PoolThreads {
  using Thread = Descriptor;
  static void Mark(Atomic<std::uintptr_t>& mark) { mark.StoreStackPointer(); }
  static Thread* Self();  // null outside of pools
  static BasicSpinLock<Atomic>& Graph(const Thread& thread);
  static Atomic<std::int64_t>& MutexWaits(const Thread& thread);
  static Thread* Marked(std::uintptr_t mark, const Thread& asker);
  // Ends the program with their names; of simulated workers, the call of Run.
  static void OnCycle(const Thread& self, std::span<Thread* const> cycle);
};

using Owner = BasicOwner<Atomic, PoolThreads>;
extern template class BasicOwner<Atomic, PoolThreads>;

}  // namespace lwt
