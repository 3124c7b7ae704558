// The owner of a mutex, so that threads which wait for each other for ever are found
// at once.
//
// A thread that takes a mutex leaves its stack pointer in it, by one instruction; from it a
// waiter finds the owner's stack and so its thread. A waiter publishes for which mutex it
// waits, and follows the chain of owners that wait themselves (wait_cycle.h).
// Only a wait takes the lock of the pool's graph; a thread that gets its mutex at once
// does nothing of this.
//
// Owners are known to threads of the same pool: a cycle through threads of two
// pools, or through OS threads outside of pools, is not found. But such an OS thread
// knows itself: a mark on its own stack is one that it has left and will not clear.
//
// Threads: Set and Clear by the thread that holds the mutex; the rest by the waiter.
// Order: a thread's marks come before the edge that it publishes next (the graph's
//   lock; of a join, awaits: release, acquire). Clear comes before the mutex is
//   free, so a mark is never that of an earlier owner. While a mutex is being taken or
//   handed over, no owner is known; the new owner will run, and is in no cycle before
//   it waits itself.
//   A forked call names the thread that runs it from before it begins until after it
//   has ended, so that is never the next thread with the same descriptor.
//   A joiner (or a waiter for a call) and a waiter for a mutex: each publishes its edge and then
//   looks for the other's (awaits and Threads::MutexWaits, seq_cst), so one sees the cycle.
// Progress: a wait holds the graph's lock for a walk of kLongestCycle at the most.
//
// tests/owner_model_test.cc runs this code under every interleaving of up to 3 preemptions (larger
// programs of fewer, down to 1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lwt/machine/atomic.h"
#include "lwt/machine/sanitizer.h"
#include "lwt/wait/wait_cycle.h"
#include "lwt/wait/wait_graph.h"
#include "topo/spin_lock.h"

namespace lwt {

// As many threads as a cycle may have to be found at once.
inline constexpr std::size_t kLongestCycle = 128;

// A value inside of a mutex. `Threads` knows which thread runs, and on whose stack a
// stack pointer is. A Threads::Thread has `AtomicT<std::uintptr_t> awaits`: 0, the
// BasicOwner that it waits for, the thread that it joins + 1, or the Threads::Call that
// it waits for + 2: a call's `runner()` is the thread that runs it, or null.
template <template <typename> class AtomicT, typename Threads>
class BasicOwner {
 public:
  using Thread = typename Threads::Thread;
  using Call = typename Threads::Call;

  void Set() { Threads::Mark(mark_); }
  void Clear() { mark_.Store(0, std::memory_order_relaxed); }
  bool IsSet() const { return mark_.Load(std::memory_order_relaxed) != 0; }
  // The mark, for a lock that it is the state of: an address on the owner's stack, in which the
  // lowest bits may be the lock's, or what is on no stack.
  AtomicT<std::uintptr_t>& word() { return mark_; }

  // The calling thread, in the wait list of this mutex, is about to wait: from here on
  // others see it. If it waits for itself: Threads::OnCycle.
  void BeginWait() {
    Thread* const self = Threads::Self();
    if (self == nullptr) return Threads::CheckOutsider(mark_.Load(std::memory_order_relaxed));
    Threads::MutexWaits(*self).FetchAdd(+1, std::memory_order_seq_cst);
    Search(*self, reinterpret_cast<std::uintptr_t>(this));
  }
  void EndWait() {
    Thread* const self = Threads::Self();
    if (self == nullptr) return;
    RemoveEdge(*self);
    Threads::MutexWaits(*self).FetchAdd(-1, std::memory_order_seq_cst);
  }

  // As BeginWait for a wait for the end of `joined`, of the same pool. EndJoin comes
  // before the joined thread's descriptor can be another's.
  static void BeginJoin(Thread& joined) {
    PublishOfEnd(reinterpret_cast<std::uintptr_t>(&joined) + 1);
  }
  static void EndJoin() { Threads::Self()->awaits.Store(0, std::memory_order_release); }

  // As BeginWait for a wait for the end of `call`, which the thread forked and a thief took.
  static void BeginCall(Call& call) { PublishOfEnd(reinterpret_cast<std::uintptr_t>(&call) + 2); }
  static void EndCall() { RemoveEdge(*Threads::Self()); }

 private:
  static void PublishOfEnd(std::uintptr_t edge) {
    Thread* const running = Threads::Self();
    if (running == nullptr) __builtin_unreachable();  // Else gcc 12 warns of the store at -O2.
    Thread& self = *running;
    self.awaits.Exchange(edge, std::memory_order_seq_cst);
    // Without a mutex in it there is no cycle: no thread waits for the end of one that waits for
    // its own.
    if (Threads::MutexWaits(self).Load(std::memory_order_seq_cst) > 0) Search(self, edge);
  }

  // With the lock: a thread that follows the edge may use what it leads to until the edge is gone.
  static void RemoveEdge(Thread& self) {
    Threads::Graph(self).Lock();
    self.awaits.Store(0, std::memory_order_release);
    Threads::Graph(self).Unlock();
  }

  static Thread* WaitsFor(const Thread& thread) {
    const std::uintptr_t edge = thread.awaits.Load(std::memory_order_acquire);
    if (edge == 0) return nullptr;
    if (edge % 4 == 1) return reinterpret_cast<Thread*>(edge - 1);
    if (edge % 4 == 2) return reinterpret_cast<Call*>(edge - 2)->runner();
    const std::uintptr_t mark =
        reinterpret_cast<BasicOwner*>(edge)->mark_.Load(std::memory_order_acquire);
    return mark == 0 ? nullptr : Threads::Marked(mark, thread);
  }

  static void Search(Thread& self, std::uintptr_t edge) {
    std::array<Thread*, kLongestCycle> cycle;
    Threads::Graph(self).Lock();
    self.awaits.Store(edge, std::memory_order_release);
    const std::size_t length = FindCycle(self, std::span<Thread*>(cycle), &WaitsFor);
    // With the lock, so that of two threads that find the same cycle one calls it.
    if (length > 0) Threads::OnCycle(self, std::span<Thread* const>(cycle).first(length));
    Threads::Graph(self).Unlock();
  }

  AtomicT<std::uintptr_t> mark_{0};
};

// For mutexes without a search for cycles, as those of models.
struct UnknownOwner {
  void Set() {}
  void SetByTry() {}
  void Clear() {}
  void BeginWait() {}
  void EndWait() {}
};

class DescriptorStore;
struct Descriptor;
struct Record;

// The threads of pools, for BasicOwner.
struct PoolThreads {
  using Thread = Descriptor;
  using Call = Record;
  static void Mark(Atomic<std::uintptr_t>& mark) { mark.StoreStackPointer(); }
  static Thread* Self();  // null outside of pools
  static topo::BasicSpinLock<Atomic>& Graph(const Thread& thread);
  static Atomic<std::int64_t>& MutexWaits(const Thread& thread);
  static Thread* Marked(std::uintptr_t mark, const Thread& asker);
  // Of a waiter for a mutex whose holder has ended: the last thread on the holder's stack. Else
  // null. Also for waiters that go on meanwhile.
  static const Thread* EndedHolder(const Thread& waiter);
  // The calling OS thread, outside of pools, is about to wait for a mutex with that
  // mark: ends the program if that thread holds the mutex itself.
  static void CheckOutsider(std::uintptr_t mark);
  // Ends the program with their names; of simulated workers, the call of Run.
  static void OnCycle(const Thread& self, std::span<Thread* const> cycle);
};

extern template class BasicOwner<Atomic, PoolThreads>;

// For reports, a line for each thread that waits for a mutex whose holder has ended. While all
// mutexes that are waited for exist, as in a call of Run.
std::string EndedHolders(const DescriptorStore& threads);

// The owner as BasicMutex calls it, with a word to ThreadSanitizer.
class Owner : public BasicOwner<Atomic, PoolThreads> {
 public:
  void Set() {
    BasicOwner::Set();
    sanitizer_.OnLock();
  }
  void SetByTry() {
    BasicOwner::Set();
    sanitizer_.OnTryLock();
  }
  void Clear() {
    if constexpr (SanitizerMutex::kIsOn) {
      if (IsSet()) sanitizer_.OnUnlock();  // Else Unlock finds the mistake.
    }
    BasicOwner::Clear();
  }

 private:
  [[no_unique_address]] SanitizerMutex sanitizer_;
};

}  // namespace lwt
