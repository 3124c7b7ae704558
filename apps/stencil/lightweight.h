// A1 by lightweight threads; the space's waiter is RunOthers (algorithm.h).
#pragma once

#include "absl/status/status.h"
#include "apps/stencil/kernel.h"
#include "apps/stencil/space_rank.h"

namespace stencil {

// As blockings.h's.
absl::Status RunLightweight(SpaceRank& rank, Planes (&grids)[2]);

}  // namespace stencil
