// What a rank knows of a page whose home is another: the state of its copy here, and which thread
// is to change it when several touch it at once.
//
//             Fetch             Arm
//   absent ---------> fetching ------> clean --------> arming ------> dirty
//    ^  |               |  |             |  ^                           |
//    |  |               |  +-------------|--|---------------------------+ (a write fault)
//    |  +--> pending ---+                |  |                           |
//    +------------- leaving <------------+  +--------- leaving <--------+
//                (invalidated)                 (its changes are sent)
//
// One thread takes a page from a state that lasts (absent, clean, dirty) to one that does not, does
// the work, and says how it ended; other threads wait for that. So a page is fetched once however
// many threads fault on it. A page is pending if a thread has asked for it and went on: the thread
// that needs it first takes it over, when it is there.
//
// The system may take a mapping at any time, as it does for memory that it swaps out. A fault that
// the state does not explain makes the page mending, from clean or dirty, until it is mapped again.
//
// The mapping is changed while the state is a passing one: it allows at most what the state before
// and the state after allow both, so a thread that finds a lasting state that allows its access may
// go back and try again.
//
// Threads: any, all members; in signal handlers too.
// Order: what came before a state was left for a lasting one happens before what follows
//   Begin, TryFetch or TryLeave that saw it.
// Progress: Begin waits while another thread does the work.
//
// Source: [Mid18] section 2.5, where the receiving thread does all of this alone, with all
// others suspended. tests/page_model_test.cc runs this code under every interleaving of up to 3
// preemptions.
#pragma once

#include <atomic>

#include "dsm/page/access.h"

namespace dsm {

enum class PageState : int {
  kAbsent,
  kPending,
  kFetching,
  kClean,
  kArming,
  kDirty,
  kMending,
  kLeaving
};

// What a thread that has faulted is to do.
enum class FaultAction {
  kFetch,  // bring the page, then call Done
  kAwait,  // it is pending: wait until it has arrived, see that it is taken over, and retry
  kArm,    // keep a twin, let the page be written, then call Done
  kMend,   // another thread has done what is needed, or the system has taken the mapping: see that
           // it is there (TryMend), and retry
};

// A resource; begins as zeros.
template <template <typename> class AtomicT>
class BasicPage {
 public:
  // `access`: not kOverwrite. `pause(sleep)`: called while another thread does the work; sleep()
  // returns when it is done.
  template <typename Pause>
  FaultAction Begin(Access access, Pause pause) {
    while (true) {
      int state = state_.Load(std::memory_order_acquire);
      switch (static_cast<PageState>(state)) {
        case PageState::kAbsent:
          if (TryChange(PageState::kAbsent, PageState::kFetching)) return FaultAction::kFetch;
          break;
        case PageState::kClean:
          if (access == Access::kRead) return FaultAction::kMend;
          if (TryChange(PageState::kClean, PageState::kArming)) return FaultAction::kArm;
          break;
        case PageState::kDirty:
          return FaultAction::kMend;
        case PageState::kPending:
          return FaultAction::kAwait;
        case PageState::kFetching:
        case PageState::kArming:
        case PageState::kMending:
        case PageState::kLeaving:
          pause([&] { state_.WaitWhile(state); });
          break;
      }
    }
  }
  FaultAction Begin(Access access) {
    return Begin(access, [](auto sleep) { sleep(); });
  }

  // For a thread that fetches before any faults, and waits for the page, or goes on.
  [[nodiscard]] bool TryFetch() { return TryChange(PageState::kAbsent, PageState::kFetching); }
  [[nodiscard]] bool TryMakePending() { return TryChange(PageState::kAbsent, PageState::kPending); }
  // For one of the threads that need a pending page; then it is kFetching.
  [[nodiscard]] bool TryTakeOver() { return TryChange(PageState::kPending, PageState::kFetching); }
  // For a thread that maps it again, as the state it had says. Then Done(from).
  [[nodiscard]] bool TryMend(PageState from) { return TryChange(from, PageState::kMending); }
  // For a thread that sends its changes (from kDirty), invalidates it (from kClean) or takes its
  // memory (from kAbsent).
  [[nodiscard]] bool TryLeave(PageState from) { return TryChange(from, PageState::kLeaving); }
  // TryLeave(kDirty), also where it is being mended: its changes are sent whatever its mapping is.
  [[nodiscard]] bool TryLeaveWritten() {
    while (true) {
      const int now = state_.Load(std::memory_order_acquire);
      if (now == static_cast<int>(PageState::kMending)) {
        state_.WaitWhile(now);
      } else if (now != static_cast<int>(PageState::kDirty)) {
        return false;
      } else if (TryLeave(PageState::kDirty)) {
        return true;
      }
    }
  }

  // By the thread that made it kFetching, kArming, kMending or kLeaving.
  void Done(PageState now) {
    state_.Store(static_cast<int>(now), std::memory_order_release);
    state_.WakeAll();
  }

  PageState state() const { return static_cast<PageState>(state_.Load(std::memory_order_acquire)); }
  // Is it one that lasts, or kPending?
  static bool Lasts(PageState state) {
    return state != PageState::kFetching && state != PageState::kArming &&
           state != PageState::kMending && state != PageState::kLeaving;
  }
  // Returns once it is. `pause`: as of Begin.
  template <typename Pause>
  PageState WaitUntilItLasts(Pause pause) const {
    while (true) {
      const PageState now = state();
      if (Lasts(now)) return now;
      pause([&] { state_.WaitWhile(static_cast<int>(now)); });
    }
  }
  PageState WaitUntilItLasts() const {
    return WaitUntilItLasts([](auto sleep) { sleep(); });
  }

 private:
  bool TryChange(PageState from, PageState to) {
    int expected = static_cast<int>(from);
    return state_.CompareExchange(expected, static_cast<int>(to), std::memory_order_acq_rel);
  }

  AtomicT<int> state_;
};

}  // namespace dsm
