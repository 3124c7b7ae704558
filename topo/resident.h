// Asking the kernel where pages really are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/placement.h"
#include "topo/topology.h"

namespace topo {

// The state of each page that `bytes` overlaps, in order. Pages are the
// system's base pages. Moves nothing. Errors: FailedPrecondition for a topology
// of another machine; Unavailable where the system forbids the question
// (move_pages: EPERM in containers, ENOSYS without NUMA).
absl::StatusOr<std::vector<PageState>> ResidentNodes(const Topology& topology,
                                                     std::span<const std::byte> bytes);

}  // namespace topo
