// Where the threads of a rank run: the program's, and those that communicate for it.
//
// The ranks of a machine take its PUs in turn, in topo's compact order (a NUMA node after the
// other): rank i of n the i-th n-th of them. The program's threads have the first of these,
// one each; those that communicate have the last of what is left, or, where nothing is, all of the
// part.
//
// Pure. Source: [Mid18] section 2.4 has three communication threads a node and leaves their
// cores to the system.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dsm/language.h"
#include "topo/mapping.h"

namespace dsm {

// A value; empty where nothing is bound.
struct Placement {
  std::vector<topo::PuId> program;        // PU of each thread
  std::vector<topo::PuId> communication;  // these may be used
  friend bool operator==(const Placement&, const Placement&) = default;
};

// `slots`: of all PUs. 0 <= rank < ranks, of this machine; threads >= 1, of the program on each
// rank. More ranks or threads than PUs share them.
inline Placement Place(std::span<const topo::Slot> slots, int rank, int ranks, int threads) {
  const auto count = static_cast<long>(slots.size());
  const long first = count * rank / ranks;
  const long last = std::max(first + 1, count * (rank + 1) / ranks);
  Placement placement;
  for (long i = 0; i < threads; ++i) {
    placement.program.push_back(slots[static_cast<std::size_t>(first + i % (last - first))].pu);
  }
  for (long i = threads < last - first ? last - 1 : first; i < last; ++i) {
    placement.communication.push_back(slots[static_cast<std::size_t>(i)].pu);
  }
  return placement;
}

}  // namespace dsm
