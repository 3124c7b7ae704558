// A page that is at home on the rank that touches it first, as one rank knows it.
//
//   untouched --TryAsk--> asking --SetHome--> at home on a rank, for good
//                         |    ^
//           SetUnanswered v    | TryAsk
//                       unanswered     (it may be at home here)
//
// One thread of a rank asks for a page's home (home/home_claims.h), and others wait. A page is
// opened before it is at home here, so a thread that sees that may touch it.
//
// Threads: any, all members, in signal handlers too; SetHome and SetUnanswered by the thread that
//   asks, or where no other uses the page.
// Order: what came before SetHome happens before what follows a home() that sees it.
// Progress: WaitWhileAsking waits for the thread that asks.
//
// tests/first_touch_model_test.cc runs this code for two ranks under every interleaving of
// up to 3 preemptions.
#pragma once

#include <atomic>

#include "topo/spinning_atomic.h"

namespace dsm {

// In the place of a rank: no rank has touched the page, as far as this rank knows.
inline constexpr int kNoHome = -1;

// A resource; begins as zeros.
template <template <typename> class AtomicT>
class BasicFirstTouchPage {
 public:
  // Or kNoHome.
  int home() const {
    const int state = state_.Load(std::memory_order_acquire);
    return state >= kHome ? state - kHome : kNoHome;
  }
  // May another rank know already that it is at home here, on `rank`?
  bool MayBeAt(int rank) const {
    const int state = state_.Load(std::memory_order_acquire);
    return state == kHome + rank || state == kAsking || state == kUnanswered;
  }

  [[nodiscard]] bool TryAsk() {
    int state = state_.Load(std::memory_order_relaxed);
    return (state == kUntouched || state == kUnanswered) &&
           state_.CompareExchange(state, kAsking, std::memory_order_acq_rel);
  }
  // `pause(sleep)`: called while another thread asks; sleep() returns when it is done.
  template <typename Pause>
  void WaitWhileAsking(Pause pause) const {
    while (state_.Load(std::memory_order_acquire) == kAsking) {
      pause([&] { state_.WaitWhile(kAsking); });
    }
  }
  void SetHome(int rank) { Set(kHome + rank); }
  void SetUnanswered() { Set(kUnanswered); }

 private:
  enum : int { kUntouched, kAsking, kUnanswered, kHome /* and the rank */ };

  void Set(int state) {
    state_.Store(state, std::memory_order_release);
    state_.WakeAll();
  }

  AtomicT<int> state_;
};

using FirstTouchPage = BasicFirstTouchPage<topo::SpinningAtomic>;

}  // namespace dsm
