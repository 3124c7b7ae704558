// How an operation ends, and the call that it makes then; completion.h has the usual calls.
//
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "llcl/language.h"

namespace llcl {

// How an operation ended. But for kDone, a write may or may not have taken place.
enum class Outcome : std::uint8_t {
  kDone,          // a write is visible at the other rank
  kPeerDown,      // the other rank is lost
  kLate,          // its deadline came first
  kRefused,       // the other rank has no such region any more
  kAborted,       // the endpoint was aborted
  kNoRoom,        // this rank has no addresses left in which to map the region (smp/conduit.h)
  kLeft,          // the other rank has ended its endpoint
  kDisagreement,  // the members of a team have begun operations that do not fit (team.h)
};

// As in a sentence: "peer down".
constexpr std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kPeerDown:
      return "peer down";
    case Outcome::kLate:
      return "late";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kAborted:
      return "aborted";
    case Outcome::kNoRoom:
      return "no room";
    case Outcome::kLeft:
      return "left";
    case Outcome::kDisagreement:
      return "disagreement";
  }
  return "?";
}

// Is the other rank gone?
constexpr bool IsGone(Outcome outcome) {
  return outcome == Outcome::kPeerDown || outcome == Outcome::kLeft;
}

// A value.
class Completion {
 public:
  // Calls nothing.
  constexpr Completion() = default;
  // Calls f(data, outcome): the paper's callback.
  constexpr Completion(void (*f)(void* data, Outcome outcome), void* data) : f_(f), data_(data) {}

  void Complete(Outcome outcome) const {
    if (f_ != nullptr) f_(data_, outcome);
  }
  // Is there a function to call?
  explicit operator bool() const { return f_ != nullptr; }

 private:
  void (*f_)(void*, Outcome) = nullptr;
  void* data_ = nullptr;
};

}  // namespace llcl
