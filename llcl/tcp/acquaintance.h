// Another rank, until this rank and it have met: who calls, and which call counts where both call
// at the same time.
//
//   kStranger --Want--> kCalled --OnVerdict: kWelcome--> kMet
//    |     ^               |  \---OnVerdict: kCallsItself--> kAwaited
//    |     +---OnMissed----+                                    |
//    |     +------------- OnAwaitedInVain ----------------------+
//    +----- OnVisit -------+------------ OnVisit ---------------+----> kMet
//
//   (any) --OnGone--> kGone
//
// Two calls cross where both ranks call before either has heard the other. The call of the higher
// rank counts: the lower rank welcomes it and ends its own call, and hears of the higher rank that
// it calls itself.
//
// Pure. tests/acquaintance_model_test.cc runs two of them under all orders of events.
#pragma once

#include <cstdint>

#include "llcl/launch/authentication.h"
#include "llcl/region.h"

namespace llcl {

// A value.
class Acquaintance {
 public:
  enum class State : std::uint8_t { kStranger, kCalled, kAwaited, kMet, kGone };

  State state() const { return state_; }

  // This rank needs a connection. True: it is to call.
  [[nodiscard]] bool Want() {
    if (state_ != State::kStranger) return false;
    state_ = State::kCalled;
    return true;
  }
  // The rank `its` has called the rank `mine` and has proved who it is. Returns the answer; with
  // kWelcome they have met by this call, and this rank's own call ends.
  [[nodiscard]] Verdict OnVisit(Rank mine, Rank its) {
    if (state_ == State::kMet || state_ == State::kGone) return Verdict::kTaken;
    if (state_ == State::kCalled && its < mine) return Verdict::kCallsItself;
    state_ = State::kMet;
    return Verdict::kWelcome;
  }
  // The answer of the rank to this rank's call.
  void OnVerdict(Verdict verdict) {
    if (state_ != State::kCalled) return;
    state_ = verdict == Verdict::kWelcome       ? State::kMet
             : verdict == Verdict::kCallsItself ? State::kAwaited
                                                : State::kStranger;
  }
  // It was not reached.
  void OnMissed() { OnVerdict(Verdict::kTaken); }
  // Its own call has not come for long.
  void OnAwaitedInVain() {
    if (state_ == State::kAwaited) state_ = State::kStranger;
  }
  // It is known to be gone.
  void OnGone() { state_ = State::kGone; }

 private:
  State state_ = State::kStranger;
};

}  // namespace llcl
