// How the ranks of a job on different hosts find each other, and prove to each other that they are
// of this job.
//
// Each listens at each of its addresses (launch/addresses.h), at ports that the system chooses, and
// tells the others by the launcher. A rank calls another; both prove that they know the job's
// secret (launch/authentication.h), which rank 0 has drawn and the launcher has carried.
//
// At first a rank connects to the ranks of its circle (conduit/circle.h): to all where the job has
// few, and to 19 of 1,024. Other ranks connect once there is something to be sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/connector.h"

namespace llcl {

// A value.
struct TcpMet {
  std::vector<OwnedFd> connections = {};  // by rank, that do not block
  std::unique_ptr<TcpConnector> connector =
      nullptr;  // null: no rank of the job meets another one on use
};

// `hosts`, here and below: TcpOptions::hosts, of all ranks. The ranks to which `mine` connects at
// first.
std::vector<Rank> FirstToMeet(Rank mine, const std::vector<int>& hosts);
// The descriptors that a rank keeps for ranks that it meets on use.
std::size_t DescriptorsOfCalls(const std::vector<int>& hosts);

// `node`: this machine's address by which others reach it; empty: found. All ranks call it. Errors:
// Unavailable where the launcher or a rank is gone, or a rank does not come in time, with its
// number.
absl::StatusOr<TcpMet> MeetByTcp(Launch& launch, const std::string& node,
                                 const std::vector<int>& hosts,
                                 std::chrono::milliseconds deadline = std::chrono::seconds(30));

}  // namespace llcl
