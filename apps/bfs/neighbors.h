// The neighbors that the plain search reads, along edges and against them. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"

namespace bfs {

// A value: out(v) has the vertices that an edge leads to from v, in(v) those that an edge leads
// from; neighbors ascend, each once, without v itself. Both are one where edges have no direction.
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

// An edge leads both ways, whatever the list's direction is.
Neighbors NeighborsByEdges(const graph::EdgeList& list);

// An edge leads from its first vertex to its second.
Neighbors NeighborsByArcs(const graph::EdgeList& list);

}  // namespace bfs
