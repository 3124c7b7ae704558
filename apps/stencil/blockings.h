// The three ways to go through time. All ranks call the same function, with this step's grid
// and another; the result is in grids[0]. Errors: those of the space.
//
// Each rank writes its own planes only, so that nothing is ever sent: others fetch.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "apps/stencil/kernel.h"
#include "apps/stencil/problem.h"
#include "apps/stencil/rank.h"

namespace stencil {

absl::Status RunSimple(Rank& rank, Planes (&grids)[2]);
// RunSimple by lightweight threads; the space's waiter is RunOthers.
absl::Status RunLightweight(Rank& rank, Planes (&grids)[2]);

absl::Status RunRedundant(Rank& rank, Planes (&grids)[2]);

// `seams`: SeamPlanes() of each rank.
absl::Status RunTwoPhases(Rank& rank, Planes (&grids)[2], Planes seams);
std::uint64_t SeamPlanes(const Problem& problem, int ranks);

}  // namespace stencil
