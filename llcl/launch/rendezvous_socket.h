// The TCP sockets of a rendezvous: how they are opened, and their options.
//
// Errors: Unavailable, naming the address and the system's error.
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

// The time until then, for poll: rounded up; 0 where it is past.
int MillisecondsTo(Deadline deadline);

// At the first of the host's addresses that can be bound. Does not block.
absl::StatusOr<OwnedFd> Listen(const HostAndPort& address);
// As Listen, or at all addresses of this machine, of both families, where rendezvous_rules.h says
// so: then `instead` is the reason, else empty.
absl::StatusOr<OwnedFd> ListenForRanks(const HostAndPort& address, std::string& instead);

// A connection, which does not block, and the address that it comes from. NotFound:
// there is none now.
struct Caller {
  OwnedFd fd;
  std::string from;
};
absl::StatusOr<Caller> Accept(int listener);

// Tries each address of the host once, for some seconds: a name may lead to a machine that is gone.
// The socket blocks.
absl::StatusOr<OwnedFd> Dial(const HostAndPort& address, Deadline deadline);

// Begins a connection to an address in digits, and does not wait for it: the socket, which does not
// block, becomes writable, and FinishDialing says how it went. `error`: the system's, where it
// could not begin, else 0.
struct Dialing {
  OwnedFd fd;
  int error = 0;
};
Dialing BeginToDial(const HostAndPort& address);
// 0, or the system's error. Connected: sets the socket's options, as Dial does.
int FinishDialing(int fd);

// This side's address of a connection, in digits and without the port; empty: it is not known.
std::string LocalAddressOf(int fd);

// Sends all bytes, waiting as long as it takes; false where the other side is gone.
bool SendAll(int fd, std::string_view bytes);
// Sends a few bytes without waiting; false where the other side is gone, or the socket has no room.
bool SendNow(int fd, std::string_view bytes);

}  // namespace llcl
