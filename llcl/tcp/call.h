// A call of a rank with several addresses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"

namespace llcl {

// A value.
struct CallOptions {
  std::vector<std::string> addresses = {};  // of the other rank, host:port in digits
  std::size_t first = 0;                    // the position of the address to be called first
  SipKey key = {};                          // of the rank that is called
  int rank = 0;                             // the rank that is called
  Rank mine{0};
  int size = 1;  // of the job
  Deadline deadline = {};
};

// A non-blocking connection, and the position of the address. A value.
struct Called {
  OwnedFd fd;
  std::size_t position = 0;
};

// Calls as CallPlan says. The first connection to prove the identity of the rank gets our proof;
// the remaining connections are closed before: so the rank never hears two proofs. Errors:
// Unavailable with all addresses and the reason of each.
absl::StatusOr<Called> CallRank(const CallOptions& options);

}  // namespace llcl
