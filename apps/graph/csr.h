// Compressed sparse rows: the neighbors of each vertex, one after the other. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/graph/edge_list.h"

namespace graph {

// A value.
struct Csr {
  std::vector<std::uint64_t> offsets = {0};  // one more than there are vertices, ascending
  std::vector<Vertex> neighbors;

  std::uint64_t vertices() const { return offsets.size() - 1; }
  std::uint64_t degree(Vertex vertex) const { return offsets[vertex + 1ull] - offsets[vertex]; }
  std::span<const Vertex> of(Vertex vertex) const {
    return {neighbors.data() + offsets[vertex], neighbors.data() + offsets[vertex + 1ull]};
  }

  friend bool operator==(const Csr&, const Csr&) = default;
};

enum class Keep { kNo, kYes };

// The neighbors in a vertex' row.
enum class RowsOf {
  kEdges,        // the other ends of its edges, whatever direction the list has
  kArcs,         // the heads of the arcs from it
  kArcsAgainst,  // the tails of the arcs to it
};

// A value.
struct CsrOptions {
  Keep self_loops = Keep::kNo;  // kept: once among the neighbors of its vertex
  Keep repeated = Keep::kNo;    // kept: a neighbor stands as often as edges join the two
  RowsOf rows = RowsOf::kEdges;
};

// Each vertex' neighbors ascend. Serial, written to be seen to be right: programs test theirs
// against it.
Csr BuildCsr(const EdgeList& list, CsrOptions options = {});

}  // namespace graph
