// The presence of another rank in the job.
//
// A rank leaves by the end of the endpoint: after the rank's part of every operation, and with a
// farewell to the other ranks. A rank is lost when its process or machine ends without a farewell.
//
// Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "llcl/outcome.h"

namespace llcl {

enum class Presence : std::uint8_t { kHere, kLeft, kLost };

// The end of an operation on a departed rank. Precondition: not kHere.
constexpr Outcome OutcomeOf(Presence gone) {
  return gone == Presence::kLeft ? Outcome::kLeft : Outcome::kPeerDown;
}

// As in a sentence: "rank 3 has left".
constexpr std::string_view ToString(Presence presence) {
  switch (presence) {
    case Presence::kHere:
      return "is here";
    case Presence::kLeft:
      return "has left";
    case Presence::kLost:
      return "is lost";
  }
  return "?";
}

}  // namespace llcl
