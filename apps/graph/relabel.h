// Other ids for the vertices of a graph, so that those of high degree lie together. Pure.
#pragma once

#include <vector>

#include "apps/graph/csr.h"
#include "apps/graph/edge_list.h"

namespace graph {

// A value: a bijection of the ids, in both directions.
struct Relabeling {
  std::vector<Vertex> new_of_old;
  std::vector<Vertex> old_of_new;

  Relabeling Inverse() const { return {old_of_new, new_of_old}; }

  friend bool operator==(const Relabeling&, const Relabeling&) = default;
};

// Degrees descend with the new id, of equal degrees the smaller old id comes first. Isolated
// vertices, of degree 0, are therefore last.
Relabeling ByDescendingDegree(const Csr& csr);

// The same edges and terminals in the same order, under new numbers. The list forgets the ids of
// its file.
EdgeList Relabel(EdgeList list, const Relabeling& relabeling);

// The same graph under new ids; each vertex' neighbors ascend again.
Csr Relabel(const Csr& csr, const Relabeling& relabeling);

}  // namespace graph
