// Whether a rank has written to a page of its own, which others may hold copies of.
//
// Writes to memory at home cost nothing and are not seen. A page that others hold is made read-only
// at a flush; the first write to it then faults, and marks it. A page that is written all the time
// is not tracked all the time: each time that it was written soon after it was made read-only it is
// left alone twice as long, and counts as changed meanwhile.
//
// Threads: BeginWrite, EndWrite by any, in signal handlers; the rest by one at a time, while others
//   may be in those.
// tests/write_tracker_model_test.cc runs this code under every interleaving of up to 3
// preemptions.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace dsm {

// A resource; begins as zeros.
template <template <typename> class AtomicT>
class BasicWriteTracker {
 public:
  // Around what lets the page be written, in the handler of a write that has faulted: a thread that
  // writes to it meanwhile, without a fault, is not missed.
  void BeginWrite() { state_.FetchAdd(kOneHandler, std::memory_order_acq_rel); }
  void EndWrite() {
    int state = state_.Load(std::memory_order_relaxed);
    while (!state_.CompareExchange(state,
                                   state / kOneHandler * kOneHandler - kOneHandler + kWritten,
                                   std::memory_order_acq_rel)) {
    }
  }
  // It could not be made read-only: it counts as written.
  void SetWritten() {
    BeginWrite();
    EndWrite();
  }

  // Was it ever tracked? Then faults in it may come from that.
  bool is_known() const { return state_.Load(std::memory_order_acquire) != kUnknown; }
  // Is it tracked now, and was not written since?
  bool is_tracked() const { return state_.Load(std::memory_order_acquire) == kTracked; }

  // Others have copies, that they fetched since the last flush or before. What is known of the
  // page since then? After kTrack it is made read-only; where that cannot be, SetWritten follows.
  enum class Known { kUnchanged, kChanged, kTrack /* changed; tracked from now on */ };
  [[nodiscard]] Known Flush() {
    int state = state_.Load(std::memory_order_acquire);
    if (state == kTracked) {
      streak_ = rest_ = 0;
      return Known::kUnchanged;
    }
    if (rest_ > 0) {
      --rest_;
      return Known::kChanged;
    }
    // Before the page is protected: what is written between is in all that is fetched after
    // this flush, and a write that faults later marks the page. Not while a handler is about to
    // let it be written.
    if (state >= kOneHandler ||
        !state_.CompareExchange(state, kTracked, std::memory_order_acq_rel)) {
      return Known::kChanged;
    }
    rest_ = static_cast<std::uint8_t>((1 << streak_) - 1);
    streak_ = std::min<std::uint8_t>(streak_ + 1, kMostStreak);
    return Known::kTrack;
  }

 private:
  enum : int { kUnknown, kTracked, kWritten, kOneHandler = 4 };  // and how many are in handlers
  static constexpr std::uint8_t kMostStreak = 6;

  AtomicT<int> state_;
  std::uint8_t streak_ = 0;  // times in a row that it was written when it was tracked
  std::uint8_t rest_ = 0;    // flushes until it is tracked again, once it is written
};

}  // namespace dsm
