// Equalities undone: SDPA's form has inequalities only, so that a'x = f stands in files as a'x >= f
// and -a'x >= -f. Neither the problem in x nor its dual has an interior then: X is 0 in both rows,
// and Y's two elements, whose difference is a free variable, run off together. Here x_k is put into
// the rest instead, and constraint k and both rows are gone. x_k comes back from the equality, and
// Y's difference from constraint k.
//
// An x that two bounds fix is an equality of one term. Rows without x are dropped where they hold,
// constraints without elements where c is 0, and rows that are diagonal within a dense block become
// a diagonal block. An equality that contradicts the others stays, for the method to prove it, and
// so does an equality that would fill the matrices or a sparse Schur complement.
//
// A row of a diagonal block says the same times any positive factor. The method's steps do not
// depend on it, but the point that it begins at does, so that rows are scaled to elements of about
// 1 in the F_i. Pure.
//
// Source: E. D. Andersen and K. D. Andersen, Presolving in linear programming, Math. Programming
// 71, 1995; K. Kobayashi, K. Nakata and M. Kojima, A conversion of an SDP having free variables
// into the standard form SDP, Comput. Optim. Appl. 36, 2007.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/reduce/elimination.h"
#include "apps/sdpa/reduce/linear_rows.h"

namespace sdpa {

// Of the rows of diagonal blocks.
enum class RowUnits { kScaled, kOwn };

// A value.
class Equalities {
 public:
  // None where there is nothing to undo, to drop or to scale, or nothing would be left.
  static std::optional<Equalities> Of(const Problem& problem, RowUnits units = RowUnits::kScaled);

  const Problem& reduced() const { return reduced_; }
  // By block and row, where the row is in the reduced problem; block -1: it is dropped.
  const std::vector<std::vector<RowPlace>>& rows() const { return rows_; }
  const std::vector<std::size_t>& constraints() const { return kept_; }  // by reduced one
  // Whose x is gone, in this order.
  const std::vector<EliminationStep>& steps() const { return steps_; }
  // By reduced diagonal block and row: how many times larger it is than the problem's; powers of
  // two. Of dense blocks empty.
  const std::vector<std::vector<double>>& scales() const { return scales_; }
  // By EliminationStep::equality.
  const std::vector<Equality>& equalities() const { return equalities_; }
  // The problem's objectives are the reduced problem's and this.
  double objective() const { return static_cast<double>(objective_); }

 private:
  Equalities() = default;

  void PlaceRows(const Problem& problem, const std::vector<LinearRow>& linear,
                 const std::vector<std::vector<bool>>& is_dropped);
  void ScaleRows(RowUnits units);

  Problem reduced_;
  std::vector<std::vector<RowPlace>> rows_;
  std::vector<std::vector<double>> scales_;
  std::vector<std::size_t> kept_;
  std::vector<EliminationStep> steps_;
  std::vector<Equality> equalities_;
  DoubleDouble objective_ = 0;
};

}  // namespace sdpa
