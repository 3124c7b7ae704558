// Graphs whose paths have been counted by others, and the count by trying all paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/simpath/count.h"
#include "apps/simpath/problem.h"

namespace simpath {

// Between opposite corners of 1 x 1 cells, 2 x 2, ...: OEIS A007764, which counts vertices.
inline const std::vector<std::string> kGridPaths = {"2",
                                                    "12",
                                                    "184",
                                                    "8512",
                                                    "1262816",
                                                    "575780564",
                                                    "789360053252",
                                                    "3266598486981642",
                                                    "41044208702632496804",
                                                    "1568758030464750013214100",
                                                    "182413291514248049241470885236",
                                                    "64528039343270018963357185158482118"};

inline graph::EdgeList Graph(std::uint64_t vertices, std::vector<graph::Edge> edges) {
  return {.vertices = vertices, .edges = std::move(edges), .terminals = {}, .max_length = {}};
}

inline graph::EdgeList Complete(graph::Vertex vertices) {
  graph::EdgeList list = Graph(vertices, {});
  for (graph::Vertex from = 0; from < vertices; ++from) {
    for (graph::Vertex to = from + 1; to < vertices; ++to) list.edges.push_back({from, to});
  }
  return list;
}

// The moves of a king on a board of side x side squares.
inline graph::EdgeList King(graph::Vertex side) {
  graph::EdgeList list = Graph(std::uint64_t{side} * side, {});
  for (graph::Vertex row = 0; row < side; ++row) {
    for (graph::Vertex column = 0; column < side; ++column) {
      const graph::Vertex square = row * side + column;
      if (column + 1 < side) list.edges.push_back({square, square + 1});
      if (row + 1 == side) continue;
      if (column > 0) list.edges.push_back({square, square + side - 1});
      list.edges.push_back({square, square + side});
      if (column + 1 < side) list.edges.push_back({square, square + side + 1});
    }
  }
  return list;
}

inline graph::EdgeList Hypercube(int dimensions) {
  graph::EdgeList list = Graph(std::uint64_t{1} << dimensions, {});
  for (graph::Vertex vertex = 0; vertex < list.vertices; ++vertex) {
    for (int i = 0; i < dimensions; ++i) {
      const graph::Vertex other = vertex ^ (graph::Vertex{1} << i);
      if (vertex < other) list.edges.push_back({vertex, other});
    }
  }
  return list;
}

// Two rows of `length` vertices: 2i above 2i + 1.
inline graph::EdgeList Ladder(graph::Vertex length) {
  graph::EdgeList list = Graph(2ull * length, {});
  for (graph::Vertex i = 0; i < length; ++i) {
    list.edges.push_back({2 * i, 2 * i + 1});
    if (i + 1 == length) continue;
    list.edges.push_back({2 * i, 2 * i + 2});
    list.edges.push_back({2 * i + 1, 2 * i + 3});
  }
  return list;
}

inline Count CountByTrying(const Problem& problem) {
  struct Way {
    graph::Vertex to = 0;
    std::size_t edge = 0;
  };
  std::vector<std::vector<Way>> ways(problem.vertices);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    ways[problem.edges[i].from].push_back({problem.edges[i].to, i});
    ways[problem.edges[i].to].push_back({problem.edges[i].from, i});
  }
  std::vector<bool> visited(problem.vertices);
  const std::function<Count(graph::Vertex)> from = [&](graph::Vertex vertex) {
    if (vertex == problem.target) return Count(1);
    visited[vertex] = true;
    Count paths;
    for (const auto [to, edge] : ways[vertex]) {
      if (visited[to]) continue;
      paths += problem.weights.empty() ? from(to) : from(to) * problem.weights[edge];
    }
    visited[vertex] = false;
    return paths;
  };
  return from(problem.source);
}

}  // namespace simpath
