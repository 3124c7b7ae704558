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

#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/problem/rule.h"

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
  std::vector<Terminal> terminals;  // entering terminals; other vertices enter as zeros
  std::vector<int> occupied;        // slots of all vertices in the frontier, new vertices included
  bool all_entered = false;         // every vertex of the graph has entered
  std::vector<int> leaving;         // slots of the ends whose last edge this is
  std::vector<int> one_left;        // slots of the ends that have one edge more
  Count weight = 1;                 // of the edge
};

// A value: several steps, followed by a search for equal states. States become equal when vertices
// leave the frontier, and seldom otherwise.
//
// A choice of taken edges has a number. In a stage of one vertex, all edges belong to the vertex,
// and the vertex leaves after the last edge; at most two edges are taken. Choice 0 is no edge,
// choice 1 + i is the edge of step i, and pairs follow: step 0 with steps 1, 2, ..., then step 1
// with steps 2, 3, ... In other stages the choice has a bit for each edge, beginning with the
// lowest bit.
struct Stage {
  static constexpr int kNone = -1;

  std::size_t first = 0, last = 0;  // steps, `last` not among them
  int vertex = kNone;               // slot of the vertex, in a stage of one vertex
  bool is_weighted = false;
  // By choice: the product of the taken edges' weights. Empty if all weights are 1.
  std::vector<Count> weights;
  std::size_t choices = 0;
  Count most_ways;  // upper bound of the ways from a state, including weights
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

// With `longest_stage` = 1 each stage is one step. Precondition: source and target are different if
// the rule has terminals.
Plan MakePlan(const Problem& problem, int longest_stage = kLongestStage);

}  // namespace simpath
