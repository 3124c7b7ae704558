// The TCP sockets of a rendezvous: how they are opened, and what they all are set to.
//
// Errors: Unavailable, naming the address and what the system says.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/owned_fd.h"

namespace llcl {

using Deadline = std::chrono::steady_clock::time_point;

// Until then, for poll: rounded up, none where it is past.
int MillisecondsTo(Deadline deadline);

// Does not block.
absl::StatusOr<OwnedFd> Listen(const HostAndPort& address);

// One that has knocked, and where from; it does not block. NotFound where there is
// none now.
struct Caller {
  OwnedFd fd;
  std::string from;
};
absl::StatusOr<Caller> Accept(int listener);

// Tries each address of the host once. What comes of it blocks.
absl::StatusOr<OwnedFd> Dial(const HostAndPort& address, Deadline deadline);

// All of it, waiting as long as it takes; false where the other side is gone.
bool SendAll(int fd, std::string_view bytes);

}  // namespace llcl
