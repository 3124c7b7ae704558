// Facial reduction: a constraint F_i.Y = 0 whose F_i is positive or negative semidefinite has
// F_i Y = 0 for each Y of the problem, so that no Y is positive definite, and an interior-point
// method has no inside to go through. Y is V Z V' then, where the columns of V span the vectors
// that F_i takes to 0, and the problem in Z has that inside back, as far as the constraint took it.
//
// V is I in the rows that are kept, so that the matrices stay as sparse as they can. Found are the
// constraints that show such a face each by itself; a face that only a sum of constraints shows is
// not looked for. Pure.
//
// Source: J. M. Borwein and H. Wolkowicz, Regularizing the abstract convex program, J. Math. Anal.
// Appl. 83, 1981; F. Permenter and P. A. Parrilo, Partial facial reduction, Math. Programming 171,
// 2018.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// A value.
class Face {
 public:
  // Of a row of a block that is not kept: what it is of the rows that are.
  struct Part {
    int row = 0;  // among the kept ones
    double factor = 0;
  };
  // The rows of a block of the problem.
  struct Rows {
    int block = -1;                        // of the reduced problem; -1: no row is kept
    std::vector<int> kept;                 // by row of the reduced block
    std::vector<std::vector<Part>> parts;  // V, by row of the block; a kept row is one part
  };
  // A constraint that the reduced problem does not have: F_i is zero on the face.
  struct Gone {
    std::size_t constraint = 0;
    int sign = 0;  // of F_i where it is semidefinite: sign F_i is positive so; else 0
  };

  // None where the matrices show none, or nothing would be left.
  static std::optional<Face> Of(const Problem& problem);

  const Problem& reduced() const { return reduced_; }
  const std::vector<Rows>& rows() const { return rows_; }                // by block
  const std::vector<std::size_t>& constraints() const { return kept_; }  // by reduced one
  const std::vector<Gone>& gone() const { return gone_; }

 private:
  Face() = default;

  Problem reduced_;
  std::vector<Rows> rows_;
  std::vector<std::size_t> kept_;
  std::vector<Gone> gone_;
};

}  // namespace sdpa
