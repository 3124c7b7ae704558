// Graphs and machines at random, for the tests of the searches.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/kronecker.h"
#include "topo/topo.h"

namespace bfs {

inline graph::EdgeList RandomGraph(std::mt19937_64& random) {
  graph::EdgeList list;
  switch (random() % 4) {
    case 0: {  // few vertices, any edges
      list.vertices = 1 + random() % 300;
      for (std::uint64_t i = random() % 900; i > 0; --i) {
        list.edges.push_back({static_cast<graph::Vertex>(random() % list.vertices),
                              static_cast<graph::Vertex>(random() % list.vertices)});
      }
      break;
    }
    case 1: {  // Graph500's
      const graph::Kronecker kronecker = {.scale = static_cast<int>(5 + random() % 6),
                                          .seed = random()};
      list.vertices = kronecker.vertices();
      list.edges.resize(kronecker.edges());
      graph::Generate(kronecker, 0, list.edges);
      break;
    }
    case 2: {  // stars, pairs and vertices alone
      list.vertices = 1 + random() % 500;
      const std::uint64_t centers = 1 + random() % 5;
      for (std::uint64_t v = centers; v + 1 < list.vertices; v += 1 + random() % 3) {
        const std::uint64_t other = random() % 4 == 0 ? v + 1 : random() % centers;
        list.edges.push_back(
            {static_cast<graph::Vertex>(v), static_cast<graph::Vertex>(other % list.vertices)});
      }
      break;
    }
    default: {  // a long road
      const graph::Vertex width = static_cast<graph::Vertex>(1 + random() % 4),
                          length = static_cast<graph::Vertex>(1 + random() % 400);
      list.vertices = width * length;
      for (graph::Vertex i = 0; i < list.vertices; ++i) {
        if (i % width + 1 < width) list.edges.push_back({i, i + 1});
        if (i + width < list.vertices) list.edges.push_back({i, i + width});
      }
    }
  }
  return list;
}

// Half of the graphs are directed: each edge becomes an arc in one of its directions.
inline graph::EdgeList RandomlyDirected(graph::EdgeList list, std::mt19937_64& random) {
  if (random() % 2 == 0) return list;
  list.direction = graph::Direction::kDirected;
  for (auto& [from, to] : list.edges) {
    if (random() % 2 == 0) std::swap(from, to);
  }
  return list;
}

// A row of heads for each tail, in the form that the serial search reads. Sets make them: the test
// shares no code with the searches.
inline graph::Csr RowsToFollow(const graph::EdgeList& list) {
  std::vector<std::set<graph::Vertex>> rows(list.vertices);
  for (const auto& [from, to] : list.edges) {
    if (from == to) continue;
    rows[from].insert(to);
    if (list.direction == graph::Direction::kUndirected) rows[to].insert(from);
  }
  graph::Csr csr;
  for (const std::set<graph::Vertex>& row : rows) {
    csr.neighbors.insert(csr.neighbors.end(), row.begin(), row.end());
    csr.offsets.push_back(csr.neighbors.size());
  }
  return csr;
}

// A value: threads of one of three machines by one of the policies, which nothing binds.
struct RandomMachine {
  explicit RandomMachine(std::mt19937_64& random)
      : machine(*topo::FromSynthetic(kMachines[random() % 3])),
        mapping(topo::Plan(machine, kPolicies[random() % 4],
                           static_cast<int>(
                               1 + random() % static_cast<std::uint64_t>(machine.allowed_pus())))
                    ->Unbound()) {}

  static constexpr const char* kMachines[] = {"pack:4 [numa] core:2 pu:1", "core:3 pu:2",
                                              "pack:2 [numa] core:1 pu:1"};
  static constexpr topo::Policy kPolicies[] = {topo::Policy::kNone, topo::Policy::kScatter,
                                               topo::Policy::kCompact, topo::Policy::kCompactPlus};
  topo::Topology machine;
  topo::Mapping mapping;
};

}  // namespace bfs
