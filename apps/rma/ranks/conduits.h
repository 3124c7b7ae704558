// The conduits of the networks, and the hosts of a job's ranks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/point.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"

namespace rma {

// The host of each rank, by rank. Where all are on one, and the user has set no
// LLCL_RANKS_PER_HOST, sets it so that there are two hosts. All ranks call it, before they have
// threads. Errors: the launch's; InvalidArgument for a variable that is no number.
absl::StatusOr<std::vector<int>> MakeHosts(llcl::Launch& launch);

// All ranks call it; for kMixed after MakeHosts. `provider`: libfabric's. Errors: the conduit's.
absl::StatusOr<std::unique_ptr<llcl::Conduit>> OpenConduit(llcl::Launch& launch, Network network,
                                                           const std::string& provider);

}  // namespace rma
