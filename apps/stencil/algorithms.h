// The paper's algorithms on shared memory (dsm).
//
//   A1   each step reads the neighbors' planes, and then all meet
//   A2   some steps at once on a copy of the slab and of as many planes around it, which
//        several ranks so compute (time is blocked, with redundancy); all meet in between
//
// each with its pages by faults or, with a p, by preload.
//
// Source: [Mid18] section 3.1.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "apps/stencil/kernel.h"
#include "apps/stencil/problem.h"
#include "dsm/space.h"

namespace stencil {

enum class Blocking { kNone, kRedundant };  // of time: A1, A2

// A value.
struct Algorithm {
  Blocking blocking = Blocking::kNone;
  bool preloads = false;
};
// "A1", "A1p", "A2", "A2p"; nothing for another.
absl::StatusOr<Algorithm> AlgorithmNamed(const std::string& name);

// A value: a rank's time, and what its part of the space did.
struct Measured {
  double seconds = 0;  // of all
  double compute_seconds = 0, preload_seconds = 0, barrier_seconds = 0;
  std::uint64_t exchanges = 0;  // times that the ranks met to go on
  std::uint64_t faults = 0, pages_fetched = 0;
};

// All ranks call it. `result`: where this rank's slab is afterwards, in one of `grids`. Errors:
// those of the space.
absl::StatusOr<Measured> Run(dsm::Space& space, const Problem& problem, const Algorithm& algorithm,
                             Planes (&grids)[2], Planes& result);

}  // namespace stencil
