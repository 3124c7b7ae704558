// Which paths are counted. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/graph/edge_list.h"
#include "apps/simpath/count.h"

namespace simpath {

// A value: a simple undirected graph, whose edges are decided in their order, and two of its
// vertices. A simple path visits no vertex twice.
struct Problem {
  std::uint64_t vertices = 0;
  std::vector<graph::Edge> edges;  // no self-loop, no two that join the same vertices
  graph::Vertex source = 0;
  graph::Vertex target = 0;
  // Paths that each edge stands for, as a path that takes it can go by any of them; empty: one
  // each.
  std::vector<Count> weights;
};

// Self-loops and repeated edges, which no simple path can use twice, are dropped; the others keep
// their order. InvalidArgument, naming the vertex, where an end is no vertex; Unimplemented for a
// directed graph.
absl::StatusOr<Problem> MakeProblem(const graph::EdgeList& list, std::uint64_t source,
                                    std::uint64_t target);

// A square of n x n cells, whose (n + 1)² corners are the vertices; row by row, as the edges: that
// to the right of each vertex, then that below. Precondition: 1 <= cells <= 32767.
graph::EdgeList Grid(int cells);

}  // namespace simpath
