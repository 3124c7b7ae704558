// Second-order cones, undone: |v| <= t stands in SDPA's form as a block with t on its diagonal and
// v in one row and column. X of such an arrow is positive semidefinite where its corner is a sum of
// corners t_i, of which each is that of a block of two rows, (t_i X_hi; X_hi X_ii), that is so.
// Many blocks of two rows, and a variable between two of them, take a time in proportion to the
// rows, where one block takes their cube. The constraints see Y's first row and its diagonal alone;
// the other elements of Y follow, as those that give it the least rank.
//
// Source: J. Agler, J. W. Helton, S. McCullough and L. Rodman, Positive semidefinite matrices with
// a given sparsity pattern, Linear Algebra Appl. 107, 1988 (arrows are chordal); M. Fukuda, M.
// Kojima, K. Murota and K. Nakata, Exploiting sparsity in semidefinite programming via matrix
// completion I, SIAM J. Optimization 11, 2001.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value.
class Arrows {
 public:
  // A block of the problem: where it is in the reduced one.
  struct Part {
    std::size_t first = 0;  // block of the reduced problem
    int corner = -1;        // row of the arrow's corner; -1: the block is as it is
    std::size_t links = 0;  // first of the variables between the blocks, in the reduced problem
  };

  // None where no dense block of many rows is an arrow.
  static std::optional<Arrows> Of(const Problem& problem);

  const Problem& reduced() const { return reduced_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  Arrows() = default;

  Problem reduced_;
  std::vector<Part> parts_;
};

// The point of the whole problem: a solution, a point on the way, or a proof.
template <typename Real>
Point<Real> WholePoint(const Arrows& arrows, const Problem& problem, const Point<Real>& reduced);

SolutionValues ReducedValues(const Arrows& arrows, const Problem& problem,
                             const SolutionValues& whole);

extern template Point<double> WholePoint(const Arrows& arrows, const Problem& problem,
                                         const Point<double>& reduced);
extern template Point<DoubleDouble> WholePoint(const Arrows& arrows, const Problem& problem,
                                               const Point<DoubleDouble>& reduced);

}  // namespace sdpa
