// How processes of a job on one machine get at each other's shared memory: each has
// a door, a socket at which the others ask for a file descriptor by its number.
//
// The socket has no file (an abstract address, of random bytes), so that nothing is
// left behind. A peer must be of the same user and know the job's secret; others
// are turned away and counted.
//
// Threads: any, all members; the door has a thread of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A resource.
class SmpDoor {
 public:
  // `secret`: the same for all processes of the job. Errors: ResourceExhausted, Unavailable.
  static absl::StatusOr<std::unique_ptr<SmpDoor>> Open(const std::string& secret);
  virtual ~SmpDoor() = default;

  // For the other ranks.
  virtual const std::string& address() const = 0;

  // From now on a peer that asks for `number` gets a copy of `fd`, which stays the caller's
  // and stays open until Withdraw.
  virtual void Offer(std::uint64_t number, int fd) = 0;
  virtual void Withdraw(std::uint64_t number) = 0;

  // How many clients were turned away.
  virtual std::int64_t turned_away() const = 0;
};

// Asks at another rank's door; `owner`, if given, gets the number of its process. Errors: NotFound
// where it offers no such number; PermissionDenied where the secret differs; ResourceExhausted
// where this process has no descriptor left; Unavailable where no process listens, or no answer
// comes in time.
absl::StatusOr<OwnedFd> Fetch(const std::string& address, const std::string& secret,
                              std::uint64_t number, std::chrono::milliseconds patience,
                              pid_t* owner = nullptr);

}  // namespace llcl
