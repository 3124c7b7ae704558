// Semidefinite programs that are made, of the families that public collections have. Pure.
#pragma once

#include "apps/graph/edge_list.h"
#include "apps/sdpa/problem.h"

namespace sdpa {

// Lovász's theta of an undirected graph is the value of the dual: the largest sum of all elements
// of a Y of trace 1 in which Y_ij = 0 for each edge. One block; a constraint for the trace and one
// for each edge. Self-loops and repeated edges count for nothing.
Problem Theta(const graph::EdgeList& graph);

// The relaxation of the largest cut (M. X. Goemans and D. P. Williamson, 1995): a fourth of the
// graph's Laplacian times a Y of ones on the diagonal. One block; a constraint for each vertex, of
// rank 1. Repeated edges count as often as they stand.
Problem MaxCut(const graph::EdgeList& graph);

}  // namespace sdpa
