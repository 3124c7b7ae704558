// Graphs whose paths have been counted by others, and the count by trying all paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"

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

// Precondition: the count is even.
inline Count Half(const Count& count) {
  std::vector<std::uint64_t> words(count.words().begin(), count.words().end());
  std::uint64_t carry = 0;
  for (std::size_t i = words.size(); i-- > 0;) {
    const std::uint64_t next = words[i] << 63;
    words[i] = words[i] >> 1 | carry;
    carry = next;
  }
  return Count(std::span<const std::uint64_t>(words));
}

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

// Tries all paths or cycles of the rule, with at most `most_edges` edges.
inline Count CountByTrying(const Problem& problem, std::size_t most_edges = ~std::size_t{0}) {
  struct Way {
    graph::Vertex to = 0;
    std::size_t edge = 0;
  };
  const Rule& rule = problem.rule;
  std::vector<std::vector<Way>> ways(problem.vertices);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    const auto [from, to] = problem.edges[i];
    ways[from].push_back({to, i});
    if (!rule.is_directed()) ways[to].push_back({from, i});
  }
  const auto weighted = [&](const Count& count, std::size_t edge) {
    return problem.weights.empty() ? count : count * problem.weights[edge];
  };
  std::vector<bool> visited(problem.vertices);
  std::size_t visits = 0;
  graph::Vertex first = 0;
  // Paths end at `last`; cycles end at `first`, their lowest vertex.
  const std::function<Count(graph::Vertex, graph::Vertex, std::size_t)> from =
      [&](graph::Vertex vertex, graph::Vertex last, std::size_t edges) -> Count {
    if (edges > most_edges) return 0;
    const bool may_end = rule.visits == Visits::kSomeVertices || visits + 1 == problem.vertices;
    if (rule.shape == Shape::kPaths && vertex == last) return may_end ? 1 : 0;
    visited[vertex] = true;
    ++visits;
    const bool has_all = rule.visits == Visits::kSomeVertices || visits == problem.vertices;
    Count paths;
    for (const auto [to, edge] : ways[vertex]) {
      if (rule.shape == Shape::kCycles) {
        const std::size_t least = rule.is_directed() ? 1 : 2;
        if (to == first && edges >= least && edges < most_edges && has_all) {
          paths += weighted(1, edge);
        }
        if (to < first) continue;
      }
      if (!visited[to]) paths += weighted(from(to, last, edges + 1), edge);
    }
    --visits;
    visited[vertex] = false;
    return paths;
  };
  if (rule.has_terminals()) return from(problem.source, problem.target, 0);
  Count all;
  for (first = 0; first < problem.vertices; ++first) {
    if (rule.shape == Shape::kCycles) {
      all += from(first, first, 0);
      continue;
    }
    for (graph::Vertex last = rule.is_directed() ? 0 : first + 1; last < problem.vertices; ++last) {
      if (last != first) all += from(first, last, 0);
    }
  }
  // The search finds an undirected cycle in both directions.
  if (rule.shape == Shape::kCycles && !rule.is_directed()) return Half(all);
  return all;
}

}  // namespace simpath
