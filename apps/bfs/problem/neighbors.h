// Rows for the plain search: neighbors along edges, and neighbors against edges. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"

namespace bfs {

// A value: rows of neighbors. Row v of out() has the heads of edges from v, row v of in() the tails
// of edges to v; they ascend, each once, without v itself. Edges without direction have one row of
// both kinds.
class Neighbors {
 public:
  // Edges without direction.
  explicit Neighbors(graph::Csr both)
      : out_(std::make_shared<graph::Csr>(std::move(both))), in_(out_) {}
  Neighbors(graph::Csr out, graph::Csr in)
      : out_(std::make_shared<graph::Csr>(std::move(out))),
        in_(std::make_shared<graph::Csr>(std::move(in))) {}

  const graph::Csr& out() const { return *out_; }
  const graph::Csr& in() const { return *in_; }
  // What both take.
  std::uint64_t bytes() const;

 private:
  std::shared_ptr<const graph::Csr> out_, in_;
};

// Edges lead both ways, whatever the list's direction is.
Neighbors NeighborsByEdges(const graph::EdgeList& list);

// Edges lead from their first vertex to their second vertex.
Neighbors NeighborsByArcs(const graph::EdgeList& list);

}  // namespace bfs
