// Orders of vertices that sweep over a graph from one side to the other. Pure.
//
// A search that begins at one vertex and prefers narrow frontiers crosses a wide grid from corner
// to corner, which ends wider than row by row.
#pragma once

#include <vector>

#include "apps/simpath/problem/problem.h"

namespace simpath {

// Chooses `corners` vertices far from each other. For each ordered pair of corners, two orders of
// all vertices: by the sum of the distances from both, then by that from the first; and breadth
// first from all of a shortest path between them, along the rim where there is one. From two
// corners of one side of a grid, both are row by row; of a king's board, the second.
std::vector<std::vector<graph::Vertex>> Sweeps(const Problem& problem, std::size_t corners);

}  // namespace simpath
