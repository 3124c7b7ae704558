// The operations in flight: for each its tag, its completions, and how long it may take.
//
//   free --Begin--> in flight --End--> free
//                   in flight --GiveUp--> given up --End--> free
//                   in flight --Withdraw--> free
//
// `then` is due at End, or before it at GiveUp, because the operation is overdue or its
// peer is gone; never at both. The tag of an operation that was given up stays taken until
// the device has ended it too: the device may still use its memory. `released`, for the owner
// of that memory, is due at End always.
//
// Threads: Begin and Withdraw by any; the rest by one at a time.
// Order: what came before Begin happens before End or GiveUp of that tag return.
// Progress: Withdraw waits while GiveUp looks at that operation, some nanoseconds.
//
// Source: [ET17] section 3.4 (tags); tests/operations_model_test.cc runs this code under
// every interleaving of up to 3 preemptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "llcl/completion.h"
#include "llcl/executor/tags.h"
#include "llcl/region.h"

namespace llcl {

// A value.
struct Operation {
  Completion then;
  Completion released;  // called when the device is done with it, if it was posted
  Rank peer{};
  std::uint32_t most_ms = 0;          // how long it may take; 0: for ever
  std::int64_t deadline_ms = kUnset;  // from the first look at it on

  static constexpr std::int64_t kUnset = -1;
};

// A resource.
template <template <typename> class AtomicT>
class BasicOperations {
 public:
  // At most `count` at a time.
  explicit BasicOperations(Tag count) : count_(count), tags_(count), places_(new Place[count]) {}

  // kNullTag where too many are in flight.
  [[nodiscard]] Tag Begin(const Operation& operation) {
    const Tag tag = tags_.TryTake();
    if (tag == kNullTag) return kNullTag;
    places_[tag].operation = operation;
    places_[tag].state.Store(kInFlight, std::memory_order_release);
    return tag;
  }

  // Called by the thread that began the operation and could not hand it on. False: it was
  // given up meanwhile, so `then` has been called.
  [[nodiscard]] bool Withdraw(Tag tag) {
    AtomicT<int>& state = places_[tag].state;
    int was = kInFlight;
    while (!state.CompareExchange(was, kFree, std::memory_order_acq_rel) && was == kLookedAt) {
      state.WaitWhile(kLookedAt);
      was = kInFlight;
    }
    if (was == kGivenUp) state.Store(kFree, std::memory_order_relaxed);
    tags_.Free(tag);
    return was != kGivenUp;
  }

  // The device is done with the operation: the completions to call, and whether it was given
  // up, so that `then` was called.
  struct Ending {
    Completion then, released;
    Rank peer{};
    bool was_given_up = false;
  };
  [[nodiscard]] Ending End(Tag tag) {
    Place& place = places_[tag];
    const bool was_given_up = place.state.Load(std::memory_order_acquire) != kInFlight;
    const Ending ending = {place.operation.then, place.operation.released, place.operation.peer,
                           was_given_up};
    place.state.Store(kFree, std::memory_order_relaxed);
    tags_.Free(tag);
    return ending;
  }

  bool IsGivenUp(Tag tag) const {
    return places_[tag].state.Load(std::memory_order_relaxed) == kGivenUp;
  }

  // Looks at the operations in flight from tag `first` on: `judge(operation)` returns an
  // optional outcome; if there is one the operation is given up, by `report(then, outcome)`.
  // Stops where `report` returns false: there is no room for more. Returns where to go
  // on; 0: all were looked at.
  template <typename Judge, typename Report>
  Tag GiveUp(Tag first, Judge judge, Report report) {
    for (Tag tag = first; tag < count_; ++tag) {
      Place& place = places_[tag];
      int state = place.state.Load(std::memory_order_relaxed);
      // Held meanwhile: else it could be withdrawn, and its tag be another operation's.
      if (state != kInFlight ||
          !place.state.CompareExchange(state, kLookedAt, std::memory_order_acq_rel)) {
        continue;
      }
      const std::optional<Outcome> outcome = judge(place.operation);
      const Completion then = place.operation.then;
      place.state.Store(outcome ? kGivenUp : kInFlight, std::memory_order_release);
      place.state.WakeAll();
      if (outcome && !report(then, *outcome)) return tag + 1 < count_ ? tag + 1 : 0;
    }
    return 0;
  }

 private:
  enum : int { kFree, kInFlight, kLookedAt, kGivenUp };
  struct Place {
    AtomicT<int> state{kFree};
    Operation operation;
  };

  const Tag count_;
  BasicTags<AtomicT> tags_;
  const std::unique_ptr<Place[]> places_;  // by tag
};

}  // namespace llcl
