// How a rank that calls another one proves who it is and hears whether it is expected: the other
// side of an Interview (authentication.h).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/region.h"

namespace llcl {

// A greeting of its own for each call. Errors: where the system has no random bytes.
absl::StatusOr<Approach> NewApproach(const SipKey& key, Rank mine, int size);

// The whole exchange, by the connection `fd` to `address`. Errors: Unavailable where the other side
// does not answer in time, or hangs up; PermissionDenied where it does not know the secret.
absl::StatusOr<Verdict> Introduce(int fd, const std::string& address, const SipKey& key, Rank mine,
                                  int size, Deadline deadline);

}  // namespace llcl
