// Graphs as lists of edges, as files hold them and generators make them. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "apps/graph/ids.h"

namespace graph {

// Numbers from 0 on, whatever ids the file has (ids.h).
using Vertex = std::uint32_t;

// One id stays free, so that programs have a Vertex that is none.
inline constexpr std::uint64_t kMaxVertices = std::numeric_limits<Vertex>::max();

// A value.
struct Edge {
  Vertex from = 0;
  Vertex to = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

enum class Direction { kUndirected, kDirected };

// A value. Self-loops and repeated edges stay in the order of the file: Graph500 counts them, other
// programs drop them. Weights of vertices are checked and dropped; weights of edges are kept on
// request.
struct EdgeList {
  std::uint64_t vertices = 0;  // at most kMaxVertices; each id of an edge is below
  Direction direction = Direction::kUndirected;
  std::vector<Edge> edges;  // an undirected edge is listed once, in either order

  // Of a file of ICGCA: paths between the ends of each pair are counted, between all pairs where
  // there is none, and only those of at most this many edges.
  std::vector<Edge> terminals;
  std::optional<std::uint64_t> max_length;

  // One for each edge, in their order; empty if the file has none or nobody asked for them.
  std::vector<double> weights = {};

  // The file has weights, and the options did not ask for them.
  bool drops_weights = false;

  // The ids that the file gives its vertices.
  Ids ids = {};
  // Vertices of the left side of a bipartite graph, before those of the right side. 0: the file
  // does not say that the graph is bipartite.
  std::uint64_t left_vertices = 0;

  friend bool operator==(const EdgeList&, const EdgeList&) = default;
};

// A value.
struct EdgeCounts {
  std::uint64_t self_loops = 0;
  // Edges between two different vertices that an earlier edge joins, in the same direction if edges
  // have one.
  std::uint64_t repeated = 0;

  friend bool operator==(const EdgeCounts&, const EdgeCounts&) = default;
};

}  // namespace graph
