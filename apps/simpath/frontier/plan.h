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
  std::vector<int> one_left;  // slots of the ends that have one edge more
  bool both_entered = false;  // both terminals have, here or before
  Count weight = 1;           // of the edge
};

// A value: steps that are done one after the other, before it is looked for states that are the
// same. States become the same where vertices leave the frontier, and else seldom.
struct Stage {
  std::size_t first = 0, last = 0;  // steps, `last` not among them
  bool is_weighted = false;
  // Of the edges that are taken, by a bit for each, that of the first step the lowest: their
  // weights multiplied.
  std::vector<Count> weights;
  Count all_weights;  // the sum of these
};

inline constexpr int kLongestStage = 3;  // steps

// A value.
struct Plan {
  std::vector<Step> steps;  // one an edge
  std::vector<Stage> stages;
  std::vector<int> widths;  // vertices in the frontier while the edge is decided
  int slots = 0;            // the most of widths
};

// Words of 64 bits, at least one, that each count after the stage fits in, where there are `open`
// ways before it in all. They may be fewer than those of counts before, whose others are zeros
// then.
inline std::size_t CountWordsAfter(const Stage& stage, const Count& open) {
  return std::max<std::size_t>(1, (open * stage.all_weights).words().size());
}

// Stages have at most so many steps. Precondition: source and target are different
// vertices, and each has an edge.
Plan MakePlan(const Problem& problem, int longest_stage = kLongestStage);

}  // namespace simpath
