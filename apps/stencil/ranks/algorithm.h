// The paper's algorithms on shared memory (dsm).
//
//   A1   each step reads the neighbors' planes, and ends with a barrier (simple.cc)
//   A2   some steps at once, also on as many planes around the slab, which neighbors compute,
//        too: time is blocked, with redundancy (redundant.cc)
//   A3   some steps at once in two phases, in which each point is computed by one rank: those
//        that depend on the slab alone, and then those where slabs meet (two_phases.cc)
//
// Pages come by faults or, with a p in the name, by preload. In A1o they are preloaded while
// points that do not depend on them are computed; in A1l lightweight threads fault, and others
// run while one waits (lightweight.cc).
//
// Source: [Mid18] section 3.1.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/stencil/blocking/blockings.h"
#include "apps/stencil/problem/problem.h"
#include "apps/stencil/ranks/space_rank.h"
#include "apps/stencil/sweep/kernel.h"
#include "dsm/space.h"

namespace stencil {

// A value.
struct Algorithm {
  std::string name;
  Blocking blocking = Blocking::kNone;
  Pages pages = Pages::kByFault;
};
// "A1", "A2p", several with commas, or "all". InvalidArgument names an unknown word.
absl::StatusOr<std::vector<Algorithm>> ParseAlgorithms(const std::string& text);

// A value: the data in the space.
struct Shared {
  Planes grids[2];  // this step's and the next one's, by slabs
  Planes seams;     // of A3: planes that ranks provide for their neighbors
};

// Allocates for each of these. All ranks call it. Errors: InvalidArgument for too many ranks;
// those of the space.
absl::StatusOr<Shared> Allocate(dsm::Space& space, const Problem& problem,
                                const std::vector<Algorithm>& algorithms);

// Makes all steps from grids[0], and leaves the result there. Precondition: the threads that will
// write grids[1] have written it before. All ranks call it. Errors: those of the space.
absl::StatusOr<Measured> Run(dsm::Space& space, const Problem& problem, const Algorithm& algorithm,
                             Shared& shared);

}  // namespace stencil
