// Counts by length: a polynomial in x, whose coefficients are the numbers of paths of 0, 1, 2, ...
// edges, packed into one whole number. Pure.
//
// An edge that is taken multiplies a count by x. Where x is 2^bits, and all coefficients are below
// that, the sums and products of counts as whole numbers are those of the polynomials: so each way
// to count, and each reduction, counts by length once edges have the weight x. Coefficients behind
// the longest length that matters are cut off.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/simpath/count.h"
#include "apps/simpath/problem.h"

namespace simpath {

// A value.
class Lengths {
 public:
  // Lengths up to `most`; no coefficient has more than `bits`, nor a sum of them.
  Lengths(int bits, std::uint64_t most)
      : bits_(static_cast<std::size_t>(bits)), most_(static_cast<std::size_t>(most)) {}

  Count x() const;
  // Of a packed count: what is above can be cut off.
  std::size_t packed_bits() const { return bits_ * (most_ + 1); }
  // The sum of all coefficients up to `most`.
  Count UpToMost(const Count& packed) const;

 private:
  std::size_t bits_, most_;
};

// The problem without the edges that no path of at most so many edges between its source and its
// target can have, as they are too far from these. Vertices keep their numbers.
Problem WithoutFarEdges(const Problem& problem, std::uint64_t most_edges);

}  // namespace simpath
