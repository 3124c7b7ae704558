// Something that happens once, seen by all who wait for it.
//
//   lwt::Event done;
//   std::thread outside([&] { Read(file); done.Set(); });
//   done.Wait();   // the worker does something else meanwhile
//
// Threads: any, inside and outside of pools, for every member. Who returns from
//   Wait may destroy the event, even while Set is about to return.
// Order: what came before Set happens before what follows Wait, or IsSet() ==
//   true (word_: release, acquire).
// Progress: Set and IsSet are wait-free but for the waking; Wait is lock-free
//   until it waits.
//
// tests/event_model_test.cc runs this code under every interleaving.
#pragma once

#include <cstdint>

#include "lwt/atomic.h"
#include "lwt/waiter.h"

namespace lwt {

// A value. Not set at first.
template <template <typename> class AtomicT, typename Waiter>
class BasicEvent {
 public:
  BasicEvent() = default;
  BasicEvent(const BasicEvent&) = delete;
  BasicEvent& operator=(const BasicEvent&) = delete;

  bool IsSet() const { return word_.Load(std::memory_order_acquire) == kSet; }

  // It has happened; again changes nothing. Wakes in the order in which they came.
  void Set() {
    // Nothing here touches the event after this.
    const std::uintptr_t before = word_.Exchange(kSet, std::memory_order_acq_rel);
    if (before == kSet) return;
    Waiter* newest = reinterpret_cast<Waiter*>(before);
    Waiter* oldest = nullptr;
    while (newest != nullptr) {
      Waiter* const older = newest->older;
      newest->newer = oldest;
      oldest = newest;
      newest = older;
    }
    while (oldest != nullptr) {
      Waiter* const newer = oldest->newer;  // Woken, it may be gone.
      oldest->Wake();
      oldest = newer;
    }
  }

  // Returns once it is set.
  void Wait(const char* why = "an event") {
    std::uintptr_t before = word_.Load(std::memory_order_acquire);
    if (before == kSet) return;
    Waiter self;
    do {
      self.older = reinterpret_cast<Waiter*>(before);
      if (word_.CompareExchange(before, reinterpret_cast<std::uintptr_t>(&self),
                                std::memory_order_acq_rel)) {
        self.Wait(why);
        return;
      }
    } while (before != kSet);
  }

  // To be used again: not set from here on. Precondition: nobody waits, and no
  // Set that is meant for the next time has come.
  void Reset() {
    std::uintptr_t expected = kSet;
    word_.CompareExchange(expected, kClear, std::memory_order_acq_rel);
  }

 private:
  static constexpr std::uintptr_t kClear = 0, kSet = 1;
  AtomicT<std::uintptr_t> word_{kClear};  // kSet, or the newest of those who wait
};

using Event = BasicEvent<Atomic, Waiter>;

}  // namespace lwt
