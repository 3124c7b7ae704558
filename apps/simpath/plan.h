// The frontier of each step: deciding the edges in their order, the vertices of which some edges
// are decided and some are not. Pure.
//
// A vertex has a slot from its first edge to its last, which others have before and after.
//
// Source: D. E. Knuth, The Art of Computer Programming 4A, section 7.1.4, exercise 225 (Simpath);
// [ULIBC14] section 4.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/simpath/count.h"
#include "apps/simpath/problem.h"

namespace simpath {

// A value: the decision on one edge.
struct Step {
  int from = 0;  // slots of its ends
  int to = 0;
  // Slots of the terminals, source or target, whose first edge this is. Others enter as zeros.
  std::vector<int> terminals;
  std::vector<int> leaving;   // slots of the ends whose last edge this is
  bool both_entered = false;  // both terminals have, here or before
  Count weight = 1;           // of the edge
};

// A value.
struct Plan {
  std::vector<Step> steps;  // one an edge
  std::vector<int> widths;  // vertices in the frontier while the edge is decided
  int slots = 0;            // the most of widths
};

// Words of 64 bits, at least one, that each count after the step fits in, where there are `open`
// ways before it in all: the step makes them 1 + weight times as many at most.
inline std::size_t CountWordsAfter(const Step& step, const Count& open) {
  return static_cast<std::size_t>(std::max(1, (open.bits() + step.weight.bits() + 63) / 64));
}

// Precondition: source and target are different vertices, and each has an edge.
Plan MakePlan(const Problem& problem);

}  // namespace simpath
