// Counts by length: a polynomial in x, packed into one whole number. The coefficients are the
// numbers of paths of 0, 1, 2, ... edges. Pure.
//
// A taken edge multiplies a count by x. With x = 2^bits, and all coefficients below x, sums and
// products of packed counts are sums and products of polynomials (Kronecker's substitution). So
// every mode and every reduction counts by length once edges have the weight x. Coefficients above
// the longest allowed length are cut off.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"

namespace simpath {

// A value.
class Lengths {
 public:
  // Lengths up to `most`. Precondition: coefficients, and sums of coefficients, fit in `bits`.
  Lengths(int bits, std::uint64_t most)
      : bits_(static_cast<std::size_t>(bits)), most_(static_cast<std::size_t>(most)) {}

  Count x() const;
  // Higher bits of a packed count can be cut off.
  std::size_t packed_bits() const { return bits_ * (most_ + 1); }
  // The sum of the coefficients of lengths up to `most`.
  Count UpToMost(const Count& packed) const;

 private:
  std::size_t bits_, most_;
};

// Bits that hold each number of ways to choose up to `most` of so many edges: no more sets of edges
// of a length, and so no larger coefficients, are there.
int BitsOfChoices(std::uint64_t edges, std::uint64_t most);

// The problem without edges too far from source and target for a path of at most `most_edges`.
// Vertices keep their numbers.
Problem WithoutFarEdges(const Problem& problem, std::uint64_t most_edges);

}  // namespace simpath
