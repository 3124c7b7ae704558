// Rank 0's side of a rendezvous, and the errors of both sides.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/rendezvous_job.h"
#include "llcl/launch/rendezvous_wire.h"

namespace llcl {

// Returns when all ranks are connected. Strangers do not hold it up: it serves all connections at
// once, each for at most `options.patience`, and where they are too many it turns away who has not
// greeted as only a holder of the secret can.
absl::StatusOr<std::unique_ptr<Rendezvous>> Host(const RendezvousOptions& options,
                                                 const HostAndPort& address, const SipKey& key);

// How long ranks wait for each other, as errors say it.
std::string Bound(const RendezvousOptions& options);
absl::Status GoneError(int rank);
absl::Status TooLongError(std::size_t bytes);
// Of FrameKind::kEnd.
std::string EndSentence(Rank who, int exit_code, std::string_view why);

}  // namespace llcl
