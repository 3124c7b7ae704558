// Graph500's generator of edges. Pure.
//
// Each edge is a function of seed, scale and its index alone, so that any block of the list can be
// made again, by any thread, in place of being stored.
//
// An edge of a graph of 2^scale vertices is a cell of its adjacency matrix; `scale` times, one of
// the matrix' quadrants is chosen, with probabilities A, B, C, D = .57, .19, .19, .05 (the
// specification of Graph500, section 3). A choice compares 31 random bits with A, A + B, A + B + C,
// which are rounded to multiples of 2^-31; a 64-bit word of random bits serves two levels.
//
// Then the vertices are renamed by a random bijection, as degrees would fall with the id otherwise.
// The specification also shuffles the edges. That is without effect here: edges of different
// indices are independent and have the same distribution, in this order as in any other.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "apps/graph/edge_list.h"
#include "apps/graph/scramble.h"

namespace graph {

// A value.
struct Kronecker {
  int scale = 20;  // 1 to 31
  std::uint64_t edge_factor = 16;
  std::uint64_t seed = 1;

  std::uint64_t vertices() const { return std::uint64_t{1} << scale; }
  std::uint64_t edges() const { return edge_factor << scale; }
};

// InvalidArgument names a scale that is not from 1 to 31, or an edge factor that is 0 or above
// 2^20.
absl::Status Check(const Kronecker& kronecker);

// Edges first, first + 1, ... of the list, which must be below edges(). Of a block of a few edges,
// the set-up (a dozen multiplications) costs most.
void Generate(const Kronecker& kronecker, std::uint64_t first, std::span<Edge> out);

// The same before vertices are renamed: the bits of both ends at one position are the choice of one
// level, 00 in A, 01 in B, 10 in C, 11 in D.
void GenerateUnscrambled(const Kronecker& kronecker, std::uint64_t first, std::span<Edge> out);

// The renaming of Generate.
Scramble ScrambleOf(const Kronecker& kronecker);

}  // namespace graph
