// What a rank knows of a page whose home is another: the state of its copy here, and who is
// to change it when several threads touch it at once.
//
//             Fetch             Arm
//   absent ---------> fetching ------> clean --------> arming ------> dirty
//    ^  |               |  |             |  ^                           |
//    |  |               |  +-------------|--|---------------------------+ (a write fault)
//    |  +---> coming ---+                |  |                           |
//    +------------- leaving <------------+  +--------- leaving <--------+
//                (invalidated)                 (its changes are sent)
//
// One thread takes a page from a state that lasts (absent, clean, dirty) to one that does
// not, does the work, and says how it ended; others wait for that. So a page is fetched
// once however many threads fault on it. A page that is coming was asked for by a thread
// that went on: whoever needs it first takes it, when it is there.
//
// The mapping is changed while the state is a passing one: it allows at most what the state
// before and the state after allow both, so a thread that finds a lasting state that allows
// its access may go back and try again.
//
// Threads: any, all members; in signal handlers too.
// Order: what came before a state was left for a lasting one happens before what follows
//   Begin, TryFetch or TryLeave that saw it.
// Progress: Begin waits while another thread does the work.
//
// Source: [Mid18] section 2.5, where the receiving thread does all of this alone, with all
// others suspended. tests/page_model_test.cc runs this code under interleavings.
#pragma once

#include <atomic>

namespace dsm {

enum class PageState : int { kAbsent, kComing, kFetching, kClean, kArming, kDirty, kLeaving };

// What a thread that has faulted is to do.
enum class Turn {
  kFetch,  // bring the page, then say Done
  kTake,   // it is coming: wait until it is there, see that it is taken, try the access again
  kArm,    // remember what it was, let it be written, then say Done
  kRetry,  // another has done what it needs: try the access again
};

// A resource; begins as zeros.
template <template <typename> class AtomicT>
class BasicPage {
 public:
  // `pause(sleep)`: called while another does the work; sleep() returns when it is done.
  template <typename Pause>
  Turn Begin(bool writes, Pause pause) {
    while (true) {
      int state = state_.Load(std::memory_order_acquire);
      switch (static_cast<PageState>(state)) {
        case PageState::kAbsent:
          if (TryChange(PageState::kAbsent, PageState::kFetching)) return Turn::kFetch;
          break;
        case PageState::kClean:
          if (!writes) return Turn::kRetry;
          if (TryChange(PageState::kClean, PageState::kArming)) return Turn::kArm;
          break;
        case PageState::kDirty:
          return Turn::kRetry;
        case PageState::kComing:
          return Turn::kTake;
        case PageState::kFetching:
        case PageState::kArming:
        case PageState::kLeaving:
          pause([&] { state_.WaitWhile(state); });
          break;
      }
    }
  }
  Turn Begin(bool writes) {
    return Begin(writes, [](auto sleep) { sleep(); });
  }

  // For who fetches before anybody faults, and waits for it, or lets it come.
  [[nodiscard]] bool TryFetch() { return TryChange(PageState::kAbsent, PageState::kFetching); }
  [[nodiscard]] bool TryLetCome() { return TryChange(PageState::kAbsent, PageState::kComing); }
  // For one of those who are to take it; then it is fetched.
  [[nodiscard]] bool TryTake() { return TryChange(PageState::kComing, PageState::kFetching); }
  // For who sends its changes (from kDirty), invalidates it (from kClean) or takes its
  // memory (from kAbsent).
  [[nodiscard]] bool TryLeave(PageState from) { return TryChange(from, PageState::kLeaving); }

  // By the thread that made it kFetching, kArming or kLeaving.
  void Done(PageState now) {
    state_.Store(static_cast<int>(now), std::memory_order_release);
    state_.WakeAll();
  }

  PageState state() const { return static_cast<PageState>(state_.Load(std::memory_order_acquire)); }
  // Is it one that lasts, or kComing?
  static bool Lasts(PageState state) {
    return state != PageState::kFetching && state != PageState::kArming &&
           state != PageState::kLeaving;
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
