// A1 by lightweight threads: others run while one waits for a page.
#pragma once

#include "absl/status/status.h"
#include "apps/stencil/ranks/space_rank.h"
#include "apps/stencil/sweep/kernel.h"

namespace stencil {

// The waiter of a space where A1l is to run; lwt's first pool must be older than the space.
bool RunOthers();

// As blockings.h's.
absl::Status RunLightweight(SpaceRank& rank, Planes (&grids)[2]);

}  // namespace stencil
