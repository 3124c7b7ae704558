// The hybrid breadth-first search on a described machine, with what its levels look at counted on a
// smaller graph of the same kind.
//
// Bound threads have their vertices, with their neighbors and parents, in their own node's memory,
// and read of the others only the frontier. Threads that nothing binds share one graph, which lies
// on all nodes, and write to the same lines.
//
// Pure. Source: [ULIBC14] section 4.1, figure 9.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/bfs/problem/answer.h"
#include "apps/graph/kronecker.h"
#include "apps/predict/machine/machine.h"
#include "topo/mapping.h"

namespace predict {

// A value. What one level looks at.
struct LevelWork {
  bfs::Direction direction = bfs::Direction::kTopDown;
  double frontier = 0;   // vertices
  double looked_at = 0;  // vertices whose neighbors are: the frontier, or what is unreached
  double edges = 0;      // that are followed
  double found = 0;      // vertices
};

// A value.
struct SearchWork {
  std::vector<LevelWork> levels;
  double vertices = 0;
  double tuples = 0;  // edges of the list in the searched component: what TEPS count
};

// A search from a vertex that `seed` chooses, counted. Precondition: Check(kronecker) is OK.
SearchWork CountSearch(const graph::Kronecker& kronecker, std::uint64_t seed);

// A value.
struct SearchCosts {
  double edge_ns = 1.5;  // a bit of a bitmap is looked up that is in the node's cache
  double chains = 3.5;   // of so many vertices the first neighbors are on their way at once
};

struct SearchModel {
  double times = 1;  // the graph is so many times as large as the one that was counted
  SearchCosts costs = {};
  std::uint64_t seed = 1;  // of where threads are that nothing binds
};

// Nanoseconds. Precondition: the mapping is of the machine's topology.
double SearchNs(const Machine& machine, const topo::Mapping& mapping, const SearchWork& search,
                const SearchModel& model);

}  // namespace predict
