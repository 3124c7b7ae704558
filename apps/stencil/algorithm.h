// The paper's algorithms on shared memory (dsm).
//
//   A1   each step reads the neighbors' planes, and then all meet (simple.cc)
//   A2   some steps at once, also on as many planes around the slab, which several ranks so
//        compute: time is blocked, with redundancy (redundant.cc)
//   A3   some steps at once in two phases, in which each point is computed by one rank: those
//        that depend on the slab alone, and then those where slabs meet (two_phases.cc)
//
// each with its pages by faults or, with a p, by preload; A1o by preload while what does not
// depend on them is computed; A1l by faults of lightweight threads, where others run while one
// waits (lightweight.cc).
//
// Source: [Mid18] section 3.1.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/stencil/kernel.h"
#include "apps/stencil/problem.h"
#include "apps/stencil/rank.h"
#include "dsm/space.h"

namespace stencil {

enum class Blocking { kNone, kRedundant, kTwoPhases };  // of time: A1, A2, A3

// A value.
struct Algorithm {
  std::string name;
  Blocking blocking = Blocking::kNone;
  Pages pages = Pages::kByFault;
};
// "A1", "A2p", several with commas, or "all". InvalidArgument names the word that is none.
absl::StatusOr<std::vector<Algorithm>> ParseAlgorithms(const std::string& text);

// A value: what of all this is in the space.
struct Shared {
  Planes grids[2];  // this step's and the next one's, by slabs
  Planes seams;     // of A3: what ranks have for their neighbors
};
// What a space is to have where A1l is one of them, and lwt's first pool is older than the space.
bool RunOthers();

// For each of these. All ranks call it. Errors: InvalidArgument where the ranks are too many;
// those of the space.
absl::StatusOr<Shared> Allocate(dsm::Space& space, const Problem& problem,
                                const std::vector<Algorithm>& algorithms);

// All steps, from what grids[0] is; the result is there, too. grids[1] has been written by the
// threads that will write it. All ranks call it. Errors: those of the space.
absl::StatusOr<Measured> Run(dsm::Space& space, const Problem& problem, const Algorithm& algorithm,
                             Shared& shared);

}  // namespace stencil
