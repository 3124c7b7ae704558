// A1 by lightweight threads; the space's waiter is RunOthers (algorithm.h).
#pragma once

#include "absl/status/status.h"
#include "apps/stencil/ranks/space_rank.h"
#include "apps/stencil/sweep/kernel.h"

namespace stencil {

// As blockings.h's.
absl::Status RunLightweight(SpaceRank& rank, Planes (&grids)[2]);

}  // namespace stencil
