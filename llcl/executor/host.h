// The owner of an executor, as the executor calls it.
//
// Threads: any, several at once; no member blocks.
#pragma once

#include <cstddef>
#include <span>

#include "llcl/completion.h"
#include "llcl/presence.h"
#include "llcl/region.h"

namespace llcl {

// A resource: it handles the executor's messages and takes part in its steps (TryAdvance).
class Host {
 public:
  virtual ~Host() = default;
  // `bytes` are valid until it returns.
  virtual void OnMessage(Rank from, std::span<const std::byte> bytes) = 0;
  // Once in each step. True: it did something.
  virtual bool OnAdvance() = 0;
  // Is there something that it could not do yet?
  virtual bool IsPending() const = 0;
  virtual Presence PresenceOf(Rank rank) const = 0;
  // An operation has ended, not with kDone.
  virtual void OnFailure(Outcome /*outcome*/) {}
};

// The outcome of an operation on a rank that a device says is gone. `host`: or null.
inline Outcome WhyGone(const Host* host, Rank rank) {
  const bool has_left = host != nullptr && host->PresenceOf(rank) == Presence::kLeft;
  return OutcomeOf(has_left ? Presence::kLeft : Presence::kLost);
}

}  // namespace llcl
