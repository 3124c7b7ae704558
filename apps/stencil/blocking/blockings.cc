#include "apps/stencil/blocking/blockings.h"

namespace stencil {

absl::Status RunBlocking(Blocking blocking, Rank& rank, Planes (&grids)[2], Planes seams) {
  switch (blocking) {
    case Blocking::kNone:
      return RunSimple(rank, grids);
    case Blocking::kRedundant:
      return RunRedundant(rank, grids);
    case Blocking::kTwoPhases:
      return RunTwoPhases(rank, grids, seams);
  }
  return absl::OkStatus();
}

}  // namespace stencil
