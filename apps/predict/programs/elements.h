// ELEMENTS as the paper's figure 14 has it, on a described machine: for each block of the problem a
// parallel loop over the constraints j that have a matrix there.
//
// A loop costs a team of threads that is begun and waited for, and each thread waits for what the
// others have written: the matrix' elements, the counter of the loop. Where blocks are small and
// many, that is more than the elements themselves.
//
// Pure. Source: [ULIBC14] section 4.3, figures 14 to 16.
#pragma once

#include <cstdint>

#include "apps/predict/machine/machine.h"
#include "topo/mapping.h"

namespace predict {

// How a loop comes to its threads.
enum class Team {
  kEachLoop,  // they are created and joined
  kKept,      // they wait for the loop at a barrier
};

// A value.
struct ElementCosts {
  double pair_ns = 40;        // an element of one pair of sparse matrices, all data in the cache
  double create_ns = 6000;    // and join a thread, by the operating system
  double create_lines = 100;  // that the creating and the created thread have in common
};

struct ElementsOptions {
  double blocks = 4968;     // mater-6's
  double constraints = 12;  // that have a matrix in a block, each an element with each
  Team team = Team::kEachLoop;
  ElementCosts costs = {};
  std::uint64_t seed = 1;  // of where threads are that nothing binds
};

// Nanoseconds an iteration. Precondition: the mapping is of the machine's topology.
double ElementsNs(const Machine& machine, const topo::Mapping& mapping,
                  const ElementsOptions& options);

}  // namespace predict
