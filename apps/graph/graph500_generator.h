// Edges and search keys of Graph500's reference code, for searches of the same graph here and
// there. Pure.
//
// Random numbers are a sequence z(n) = 107374182 z(n-1) + 104480 z(n-5) modulo 2^31 - 1. Edge i
// takes the numbers behind place i * 2^64, which a power of the sequence's transition matrix leads
// to: any block of edges can be made by any thread.
//
// An edge is a cell of the adjacency matrix of 2^scale vertices; `scale` times a quadrant is
// chosen, with probabilities .57, .19, .19, .05. While both ends are equal, a choice below the
// diagonal becomes its mirror image. Then vertices are renamed by two products and reversals of
// bits.
//
// Sources: L'Ecuyer, Blouin and Couture, A Search for Good Multiple Recursive Random Number
// Generators, ACM TOMACS 3 (2), 1993, table 3; the reference code's version 3
// (github.com/graph500/graph500) for the order of numbers, quadrants and bits, and for the numbers
// of the renaming.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "apps/graph/edge_list.h"

namespace graph {

// A value. The default seeds are the reference code's.
struct Graph500 {
  int scale = 20;  // 1 to 31
  std::uint64_t edge_factor = 16;
  std::uint64_t seed1 = 2;
  std::uint64_t seed2 = 3;

  std::uint64_t vertices() const { return std::uint64_t{1} << scale; }
  std::uint64_t edges() const { return edge_factor << scale; }
};

// Errors as Check(Kronecker).
absl::Status Check(const Graph500& graph);

// Edges first, first + 1, ... of the list, which must be below edges(). Of a block of a few edges,
// the set-up (some thousand multiplications) costs most.
void Generate(const Graph500& graph, std::uint64_t first, std::span<Edge> out);

// The first keys of the reference code's main program, at most `count`: different vertices with
// edges, by as many draws as the graph has vertices. (After so many draws the reference code takes
// any vertex.)
std::vector<Vertex> RootsOf(const Graph500& graph, int count,
                            const std::function<bool(Vertex)>& has_edges);

}  // namespace graph
