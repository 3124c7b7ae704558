// Semidefinite programs of a graph. Pure.
#pragma once

#include <vector>

#include "apps/graph/edge_list.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// Lovász's theta of a graph, of whose edges the directions and weights count for nothing, is the
// value of the dual: the largest sum of all elements of a Y of trace 1 in which Y_ij = 0 for each
// edge. One block; a constraint for the trace and one for each edge. Self-loops and repeated edges
// count for nothing.
Problem Theta(const graph::EdgeList& graph);

// The same value in a block of one more row, number 0, as in SDPLIB's thetaG: the largest
// Y_11 + ... + Y_nn where Y_00 = 1, Y_ii = Y_0i, and Y_ij = 0 for each edge. A constraint for Y_00,
// one for each vertex and one for each edge (M. Grötschel, L. Lovász and A. Schrijver, Geometric
// Algorithms and Combinatorial Optimization, 1988, section 9.3).
Problem BorderedTheta(const graph::EdgeList& graph);

// The relaxation of the largest cut (M. X. Goemans and D. P. Williamson, 1995): a fourth of the
// graph's Laplacian times a Y of ones on the diagonal. One block; a constraint for each vertex, of
// rank 1. Repeated edges count as often as they stand, directions for nothing; a cut of arcs is
// another problem.
Problem MaxCut(const graph::EdgeList& graph);
Problem MaxCut(const graph::EdgeList& graph, const std::vector<double>& weights);  // of each edge

// The relaxation of the bisection that cuts the fewest edges: minus the graph's Laplacian times a Y
// of ones on the diagonal whose elements sum to 0, so that no Y is positive definite (SDPLIB's
// gpp). Self-loops count for nothing.
Problem Bisection(const graph::EdgeList& graph);

}  // namespace sdpa
