// A graph, and which of its paths or cycles are counted. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/rule.h"

namespace simpath {

// A value: a simple graph with ordered edges, and two vertices as the ends of paths. Rules without
// given ends ignore source and target.
struct Problem {
  std::uint64_t vertices = 0;
  // No self-loops, and no repeated edges; in a directed graph, no repeated arcs.
  std::vector<graph::Edge> edges;
  graph::Vertex source = 0;
  graph::Vertex target = 0;
  // Paths that each edge stands for, as a path that takes it can go by any of them; empty: one
  // each.
  std::vector<Count> weights;
  Rule rule = {};
  // The largest number of edges of a counted path or cycle.
  std::optional<std::uint64_t> max_length = {};
};

// Drops self-loops and repeated edges, and keeps the order of the rest. The list decides the rule's
// direction. InvalidArgument, naming the vertex, if the rule has terminals and one is no vertex.
absl::StatusOr<Problem> MakeProblem(const graph::EdgeList& list, std::uint64_t source,
                                    std::uint64_t target, Rule rule = {});

// A square of n x n cells, whose (n + 1)² corners are the vertices; row by row, as the edges: that
// to the right of each vertex, then that below. Precondition: 1 <= cells <= 32767.
graph::EdgeList Grid(int cells);

}  // namespace simpath
