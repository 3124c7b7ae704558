// How the ranks of a job connect, each to each on another host, and prove to each other that they
// are of this job.
//
// Each listens at each of its addresses (launch/addresses.h), at ports that the system chooses, and
// tells the others by the launcher. A rank calls those of lower numbers; both prove that they know
// the job's secret (launch/authentication.h), which rank 0 has drawn and the launcher has carried.
// A stranger that finds the port gets no answer that helps it, and keeps no rank waiting.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/conduit/neighbors.h"
#include "llcl/launch/launch.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A connection to each rank that is not `here`, by rank, that does not block. `here` has this rank.
// `node`: this machine's address by which others reach it; empty: found. All ranks call it. Errors:
// Unavailable where the launcher or a rank is gone, or a rank does not come in time, with its
// number.
absl::StatusOr<std::vector<OwnedFd>> MeetByTcp(
    Launch& launch, const std::string& node, const Neighbors& here,
    std::chrono::milliseconds deadline = std::chrono::seconds(30));

}  // namespace llcl
