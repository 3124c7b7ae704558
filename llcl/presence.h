// Is another rank still in the job, and if not, how did it go?
//
// A rank leaves when its endpoint ends: it has ended its part of every operation, and tells the
// others. A rank is lost when its process or machine is gone and no farewell has come.
#pragma once

#include <cstdint>
#include <string_view>

#include "llcl/completion.h"

namespace llcl {

enum class Presence : std::uint8_t { kHere, kLeft, kLost };

// The end of an operation that needs a rank that has gone. Precondition: not kHere.
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
