// The three ways to go through time. All ranks call the same function, with this step's grid
// and another; the result is in grids[0]. Errors: those of the rank.
//
// Each rank writes its own planes only, so that nothing is ever sent: others fetch.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "apps/stencil/blocking/rank.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/sweep/kernel.h"

namespace stencil {

enum class Blocking { kNone, kRedundant, kTwoPhases };  // of time: A1, A2, A3

// One of those below. `seams` is used by kTwoPhases alone.
absl::Status RunBlocking(Blocking blocking, Rank& rank, Planes (&grids)[2], Planes seams);

absl::Status RunSimple(Rank& rank, Planes (&grids)[2]);

absl::Status RunRedundant(Rank& rank, Planes (&grids)[2]);

// `seams`: SeamPlanes() of each rank.
absl::Status RunTwoPhases(Rank& rank, Planes (&grids)[2], Planes seams);
std::uint64_t SeamPlanes(const Problem& problem, int ranks);

}  // namespace stencil
