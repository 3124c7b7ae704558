#include "apps/bfs/neighbors.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace bfs {
namespace {

using graph::Vertex;

// A row for each `tail`, with the `head` of each edge, once.
graph::Csr RowsOf(const graph::EdgeList& list, Vertex graph::Edge::*tail,
                  Vertex graph::Edge::*head) {
  std::vector<std::uint64_t> ends(list.vertices + 1, 0);
  for (const graph::Edge& edge : list.edges) ++ends[edge.*tail + std::uint64_t{1}];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Vertex> heads(list.edges.size());
  // Each row's end moves from the row's first place to its last.
  for (const graph::Edge& edge : list.edges) heads[ends[edge.*tail]++] = edge.*head;

  graph::Csr rows;
  rows.offsets.assign(list.vertices + 1, 0);
  std::uint64_t kept = 0, begin = 0;
  for (std::uint64_t vertex = 0; vertex < list.vertices; ++vertex) {
    const auto first = heads.begin() + static_cast<std::ptrdiff_t>(begin);
    auto last = heads.begin() + static_cast<std::ptrdiff_t>(ends[vertex]);
    begin = ends[vertex];
    std::sort(first, last);
    last = std::remove(first, std::unique(first, last), static_cast<Vertex>(vertex));
    kept = static_cast<std::uint64_t>(
        std::copy(first, last, heads.begin() + static_cast<std::ptrdiff_t>(kept)) - heads.begin());
    rows.offsets[vertex + 1] = kept;
  }
  heads.resize(kept);
  rows.neighbors = std::move(heads);
  return rows;
}

}  // namespace

std::uint64_t Neighbors::bytes() const {
  const auto bytes_of = [](const graph::Csr& csr) {
    return csr.offsets.size() * sizeof(csr.offsets[0]) +
           csr.neighbors.size() * sizeof(csr.neighbors[0]);
  };
  return bytes_of(*out_) + (in_ == out_ ? 0 : bytes_of(*in_));
}

Neighbors NeighborsByEdges(const graph::EdgeList& list) { return Neighbors(graph::BuildCsr(list)); }

Neighbors NeighborsByArcs(const graph::EdgeList& list) {
  return Neighbors(RowsOf(list, &graph::Edge::from, &graph::Edge::to),
                   RowsOf(list, &graph::Edge::to, &graph::Edge::from));
}

}  // namespace bfs
