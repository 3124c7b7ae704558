#include "apps/graph/csr.h"

#include <algorithm>

namespace graph {
namespace {

// Calls visit(vertex, neighbor) for each entry of an edge.
template <typename Visit>
void ForEachNeighbor(const EdgeList& list, const CsrOptions& options, Visit visit) {
  for (const auto [from, to] : list.edges) {
    if (from == to && options.self_loops == Keep::kNo) continue;
    if (options.rows != RowsOf::kArcsAgainst) visit(from, to);
    if (options.rows == RowsOf::kArcsAgainst || (options.rows == RowsOf::kEdges && from != to)) {
      visit(to, from);
    }
  }
}

// Moves the distinct neighbors of each vertex, which ascend, to the front.
void DropRepeated(Csr& csr) {
  std::uint64_t kept = 0;
  std::uint64_t begin = 0;
  for (std::uint64_t vertex = 0; vertex < csr.vertices(); ++vertex) {
    const std::uint64_t end = csr.offsets[vertex + 1];
    const auto last = std::unique(csr.neighbors.data() + begin, csr.neighbors.data() + end);
    kept = static_cast<std::uint64_t>(
        std::copy(csr.neighbors.data() + begin, last, csr.neighbors.data() + kept) -
        csr.neighbors.data());
    begin = end;
    csr.offsets[vertex + 1] = kept;
  }
  csr.neighbors.resize(kept);
}

}  // namespace

Csr BuildCsr(const EdgeList& list, CsrOptions options) {
  Csr csr;
  csr.offsets.assign(list.vertices + 1, 0);
  ForEachNeighbor(list, options, [&](Vertex vertex, Vertex) { ++csr.offsets[vertex + 1ull]; });
  for (std::uint64_t i = 0; i < list.vertices; ++i) csr.offsets[i + 1] += csr.offsets[i];

  csr.neighbors.resize(csr.offsets.back());
  std::vector<std::uint64_t> next(csr.offsets.begin(), csr.offsets.end() - 1);
  ForEachNeighbor(list, options, [&](Vertex vertex, Vertex neighbor) {
    csr.neighbors[next[vertex]++] = neighbor;
  });
  for (std::uint64_t i = 0; i < list.vertices; ++i) {
    std::sort(csr.neighbors.data() + csr.offsets[i], csr.neighbors.data() + csr.offsets[i + 1]);
  }
  if (options.repeated == Keep::kNo) DropRepeated(csr);
  return csr;
}

}  // namespace graph
