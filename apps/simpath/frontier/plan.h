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
#include "apps/simpath/rule.h"

namespace simpath {

// A value: source or target.
struct Terminal {
  int slot = 0;
  bool is_target = false;
};

// A value: the decision on one edge.
struct Step {
  int from = 0;  // slots of its ends
  int to = 0;
  std::vector<Terminal> terminals;  // whose first edge this is; other vertices enter as zeros
  std::vector<int> occupied;        // slots of all vertices in the frontier, those included
  bool all_entered = false;         // no vertex is to come
  std::vector<int> leaving;         // slots of the ends whose last edge this is
  std::vector<int> one_left;        // slots of the ends that have one edge more
  Count weight = 1;                 // of the edge
};

// A value: steps that are done one after the other, before it is looked for states that are the
// same. States become the same where vertices leave the frontier, and else seldom.
//
// A choice of the edges that are taken has a number. In a stage of one vertex, whose edges all are
// and which leaves after the last, at most two are taken: 0 is none, 1 + i the edge of step i, and
// the pairs follow: those of step 0 with 1, 2, ..., then those of step 1. In other stages it has a
// bit for each edge, that of the first step the lowest.
struct Stage {
  static constexpr int kNone = -1;

  std::size_t first = 0, last = 0;  // steps, `last` not among them
  int vertex = kNone;               // slot of the one vertex
  bool is_weighted = false;
  // By choice: the weights of its edges multiplied. Empty where all edges have the weight 1.
  std::vector<Count> weights;
  std::size_t choices = 0;
  Count most_ways;  // a bound of the ways from one state, weights counted
};

inline constexpr int kLongestStage = 3;      // steps of a stage of several vertices
inline constexpr int kMostOfOneVertex = 24;  // and of one

// A value.
struct Plan {
  std::vector<Step> steps;  // one an edge
  std::vector<Stage> stages;
  std::vector<int> widths;  // vertices in the frontier while the edge is decided
  int slots = 0;            // the most of widths
  Rule rule;
};

// Words of 64 bits, at least one, that each count after the stage fits in, where there are `open`
// ways before it in all. They may be fewer than those of counts before, whose others are zeros
// then.
inline std::size_t CountWordsAfter(const Stage& stage, const Count& open) {
  return std::max<std::size_t>(1, (open * stage.most_ways).words().size());
}

// Stages have at most so many steps; those of one vertex are only made where there may be several.
// Precondition: source and target are different vertices, if the rule has them.
Plan MakePlan(const Problem& problem, int longest_stage = kLongestStage);

}  // namespace simpath
