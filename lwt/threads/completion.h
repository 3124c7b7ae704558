// The end of a thread or record, and its waiter.
//
// Threads: Finish or FinishUnseen once, by the thread or record that ends; Wait, Detach
//   and IsDone by the thread that holds the handle.
// Order: what came before Finish happens before what follows IsDone() == true,
//   a Wait that returned false, or the resumption of the waiter that Finish
//   returned (the one word: release, acquire).
// Progress: wait-free.
// To wait for or detach what was waited for or detached before ends the program: only a copy of a
// handle can, and only the C API has copies. The misuse is seen until the object is used again.
//
// tests/completion_model_test.cc runs this code under every interleaving, without a bound on
// preemptions.
#pragma once

#include <cstdint>

#include "lwt/contract.h"
#include "lwt/machine/atomic.h"

namespace lwt {

// A value inside of what is waited for. `Waiter`: aligned to at least 4.
template <template <typename> class AtomicT, typename Waiter>
class BasicCompletion {
 public:
  bool IsDone() const { return word_.Load(std::memory_order_acquire) == kDone; }
  // Is it neither done nor waited for nor detached?
  bool IsRunning() const { return word_.Load(std::memory_order_relaxed) == kRunning; }
  // As IsDone, also of what was waited for or detached.
  bool HasEnded() const { return (word_.Load(std::memory_order_acquire) & kDone) != 0; }
  // Is it neither waited for nor detached, done or not?
  bool IsHeld() const { return word_.Load(std::memory_order_relaxed) <= kDone; }
  void CheckHeld() const { CheckContract(IsHeld(), kOnce); }

  // By a child that ends before any thread could have got its handle: the spawning
  // thread goes on only after this.
  void FinishUnseen() { word_.Store(kDone, std::memory_order_release); }

  // What Finish found: at most one of the two.
  struct Found {
    Waiter* waiter = nullptr;  // to be made ready
    bool detached = false;     // no waiter will come: the caller cleans up
  };
  // From here on the thread that holds the handle may destroy the object. A waited-for or detached
  // object stays so: kDetached becomes kForgotten, and a waiter's address one that IsHeld knows.
  Found Finish() {
    const std::uintptr_t before = word_.FetchAdd(kDone, std::memory_order_acq_rel);
    if (before == kRunning) return {};
    if (before == kDetached) return {nullptr, true};
    return {reinterpret_cast<Waiter*>(before), false};
  }

  // `waiter` will be returned by Finish; false if Finish has come before.
  // Precondition: the waiter is suspended.
  bool Wait(Waiter* waiter) {
    std::uintptr_t expected = kRunning;
    if (word_.CompareExchange(expected, reinterpret_cast<std::uintptr_t>(waiter),
                              std::memory_order_acq_rel)) {
      return true;
    }
    CheckContract(expected == kDone, kOnce);
    return false;
  }

  // No thread will wait. False if it has ended: then the caller cleans up.
  bool Detach() {
    std::uintptr_t expected = kRunning;
    if (word_.CompareExchange(expected, kDetached, std::memory_order_acq_rel)) return true;
    CheckContract(expected == kDone, kOnce);
    return false;
  }

  // By the thread that holds the handle, once it is done: there is no handle any more.
  void Forget() { word_.Store(kForgotten, std::memory_order_relaxed); }

  // For an object that is used again (Reset), or to which there is no handle.
  void Reset() { word_.Store(kRunning, std::memory_order_relaxed); }
  void ResetDetached() { word_.Store(kDetached, std::memory_order_relaxed); }

 private:
  static constexpr std::uintptr_t kRunning = 0, kDone = 1, kDetached = 2, kForgotten = 3;
  static_assert(kDetached + kDone == kForgotten);
  static constexpr const char* kOnce =
      "a thread is joined or detached once: this thread was before";
  AtomicT<std::uintptr_t> word_{kRunning};
};

}  // namespace lwt
