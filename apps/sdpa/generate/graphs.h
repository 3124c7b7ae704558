// Graphs for theta and max-cut: random ones of a wanted size, and those whose theta is in the
// literature. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/graph/edge_list.h"

namespace sdpa {

// Each set of so many edges is as likely as another; at most vertices (vertices - 1) / 2.
graph::EdgeList RandomGraph(int vertices, int edges, std::uint64_t seed);
// At least 3 vertices.
graph::EdgeList Cycle(int vertices);
// Each vertex has four neighbors; rows and columns are at least 3.
graph::EdgeList Torus(int rows, int columns);
// The subsets of k of n things, joined where they have nothing in common; n at most 30. Petersen's
// graph is that of 5 and 2, the complete graph that of n and 1.
graph::EdgeList Kneser(int n, int k);
// Words of that length, joined where the number of places in which they differ is one of
// `distances`.
graph::EdgeList Hamming(int length, int letters, const std::vector<int>& distances);

// Lovász's theta.
//
// Source: L. Lovász, On the Shannon capacity of a graph, IEEE Trans. Information Theory 25, 1979:
// theorems 8 and 9 and corollary 5 of cycles, edge-transitive and Kneser's graphs.
double ThetaOfCycle(int vertices);
double ThetaOfKneser(int n, int k);                            // n >= 2k
double ThetaOfHamming(int length, int letters, int distance);  // of one distance

}  // namespace sdpa
