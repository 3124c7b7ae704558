// A graph, and which of its paths or cycles are counted. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/simpath/count.h"
#include "apps/simpath/rule.h"

namespace simpath {

// A value: a simple graph, whose edges are decided in their order, and two of its vertices, which
// only paths between given ends have a use for.
struct Problem {
  std::uint64_t vertices = 0;
  // No self-loop, no two that join the same vertices, in the same direction where there is one.
  std::vector<graph::Edge> edges;
  graph::Vertex source = 0;
  graph::Vertex target = 0;
  // Paths that each edge stands for, as a path that takes it can go by any of them; empty: one
  // each.
  std::vector<Count> weights;
  Rule rule = {};
  // Edges of a path or cycle that is counted, at most.
  std::optional<std::uint64_t> max_length = {};
};

// Self-loops, which no path and no cycle of two vertices or more has, and repeated edges are
// dropped; the others keep their order. The direction of the rule is that of the list.
// InvalidArgument, naming the vertex, where an end is no vertex.
absl::StatusOr<Problem> MakeProblem(const graph::EdgeList& list, std::uint64_t source,
                                    std::uint64_t target, Rule rule = {});

// A square of n x n cells, whose (n + 1)² corners are the vertices; row by row, as the edges: that
// to the right of each vertex, then that below. Precondition: 1 <= cells <= 32767.
graph::EdgeList Grid(int cells);

}  // namespace simpath
