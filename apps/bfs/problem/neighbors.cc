#include "apps/bfs/problem/neighbors.h"

namespace bfs {

std::uint64_t Neighbors::bytes() const {
  const auto bytes_of = [](const graph::Csr& csr) {
    return csr.offsets.size() * sizeof(csr.offsets[0]) +
           csr.neighbors.size() * sizeof(csr.neighbors[0]);
  };
  return bytes_of(*out_) + (in_ == out_ ? 0 : bytes_of(*in_));
}

Neighbors NeighborsByEdges(const graph::EdgeList& list) { return Neighbors(graph::BuildCsr(list)); }

Neighbors NeighborsByArcs(const graph::EdgeList& list) {
  return Neighbors(graph::BuildCsr(list, {.rows = graph::RowsOf::kArcs}),
                   graph::BuildCsr(list, {.rows = graph::RowsOf::kArcsAgainst}));
}

}  // namespace bfs
