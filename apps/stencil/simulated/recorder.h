// A rank of a simulated node: the blockings run on it as they do on a real one, and it notes which
// pages they preload and read and what their threads compute. Nothing is computed.
//
// Threads: one; those of InParallel are played one after the other.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "apps/stencil/blocking/blockings.h"
#include "apps/stencil/blocking/rank.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/simulated/node.h"
#include "apps/stencil/simulated/recording.h"

namespace stencil {

// Runs the blocking on rank `number` of `ranks`. Planes are whole pages, and all ranks have as
// many. Errors: Internal where the blocking writes to planes of others, which would be lost.
absl::StatusOr<Recording> Record(const Problem& problem, Blocking blocking, Pages pages, int number,
                                 int ranks, std::uint64_t page_bytes, const Node& node);

}  // namespace stencil
