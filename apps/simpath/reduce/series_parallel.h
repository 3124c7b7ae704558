// Chains and repeated links become one link each. Pure.
//
// Source: J. Valdes, R. E. Tarjan and E. L. Lawler, The recognition of series parallel digraphs,
// SIAM Journal on Computing 11 (1982).
#pragma once

#include <cstdint>

#include "apps/simpath/reduce/formula.h"
#include "apps/simpath/reduce/network.h"

namespace simpath {

// A value.
struct Contractions {
  std::uint64_t series = 0;    // vertices of two links that became one
  std::uint64_t parallel = 0;  // links that joined the same vertices as another
};

// Until no vertex but the poles has two links, or fewer, and no two vertices have two links. In
// series, weights multiply; in parallel, they add up.
//
// A new link stands where the later of the two stood. No frontier gets wider: the vertex of a chain
// was in each frontier between the two places, and at most one neighbor takes its seat there.
Contractions ContractSeriesAndParallel(Network& network, Formula& formula);

}  // namespace simpath
