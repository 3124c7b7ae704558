// The results of one step of an executor, found with its lock held and reported after the lock's
// release, as a completion or a handler may post.
//
// Threads: the thread that makes the step.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "llcl/completion.h"
#include "llcl/executor/host.h"
#include "llcl/executor/in_flight.h"
#include "llcl/executor/lanes.h"
#include "llcl/executor/message.h"

namespace llcl {

// A value, that is not initialized: a step takes some ten nanoseconds.
class StepResults {
 public:
  static constexpr std::size_t kBatch = CommandBatch::kMost;

  StepResults() {}

  // `then` is called at an operation's end, or when it is given up.
  void Add(Completion then, Outcome outcome) {
    std::construct_at(&calls_[count_++], Call{then, outcome});
  }
  // The device has released the operation's memory.
  void AddReleased(Completion released, Outcome outcome) {
    if (released) std::construct_at(&calls_[count_++], Call{released, outcome, false});
  }
  // Of completions.
  std::size_t count() const { return count_; }
  // How many operations may still end in this step.
  std::size_t room() const { return (kMost - count_) / 2; }
  Inbox& inbox() { return inbox_; }

  // Calls the completions, counts the operations that have ended by it, and hands the messages and
  // the failures to `host` (or null).
  void Report(InFlight& in_flight, Host* host) const {
    for (std::size_t i = 0; i < count_; ++i) {
      const Call& call = calls_[i];
      if (call.outcome != Outcome::kDone && call.is_end && host != nullptr) [[unlikely]] {
        host->OnFailure(call.outcome);
      }
      call.completion.Complete(call.outcome);
      // Last: Close returns only after the completions have returned.
      if (call.is_end) in_flight.End();
    }
    if (host == nullptr) return;
    inbox_.ForEach(
        [&](Rank from, std::span<const std::byte> bytes) { host->OnMessage(from, bytes); });
  }

 private:
  struct Call {
    Completion completion;
    Outcome outcome = Outcome::kDone;
    bool is_end = true;  // of an operation; false: its memory is released
  };
  // Each operation calls two completions at most.
  static constexpr std::size_t kMost = 2 * kBatch;

  std::size_t count_ = 0;
  Inbox inbox_;
  union {
    std::array<Call, kMost> calls_;
  };
};

}  // namespace llcl
