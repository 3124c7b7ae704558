// What messages of more than Messenger::kMostPayload bytes need of the endpoint that they belong
// to (large_messages.h).
//
// Threads: any, all members, at the same time; none blocks.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "llcl/completion.h"
#include "llcl/conduit/registration.h"
#include "llcl/presence.h"
#include "llcl/region.h"

namespace llcl {

// A resource.
class Bulk {
 public:
  virtual ~Bulk() = default;
  // Memory that other ranks may read.
  virtual absl::StatusOr<Region> Allocate(std::uint64_t bytes) = 0;
  // Reads now, or as soon as there is room. `then` is always called, also where the addresses
  // lie in no region.
  virtual void Read(const RemoteAddress& from, const LocalAddress& to, std::uint64_t bytes,
                    Completion then) = 0;
  virtual Presence PresenceOf(Rank rank) const = 0;
  // Reads that have ended, but whose memory the network may still use.
  virtual std::uint64_t overdue() const = 0;
};

}  // namespace llcl
