// Problems that have the same answer in other words, for tests of solvers, and the way back from a
// solution of theirs. Pure.
#pragma once

#include <functional>
#include <vector>

#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// A value. `back` maps a solution of `problem` to one of the problem that it was made from.
struct Transformed {
  Problem problem;
  std::function<SolutionValues(const SolutionValues&)> back;
};

// Constraint i is what was constraint order[i]; from 0 on.
Transformed PermuteConstraints(const Problem& problem, const std::vector<int>& order);
// Block l is what was block order[l].
Transformed PermuteBlocks(const Problem& problem, const std::vector<int>& order);
// Row and column r of block l is what was orders[l][r].
Transformed PermuteRows(const Problem& problem, const std::vector<std::vector<int>>& orders);
// Constraint i, its F and its c, times factors[i]; none is 0.
Transformed ScaleConstraints(const Problem& problem, const std::vector<double>& factors);
// F_0 times `factor`, which is above 0: x and X are, and so is the value.
Transformed ScaleConstant(const Problem& problem, double factor);
// c times `factor`, which is above 0: Y is, and so is the value.
Transformed ScaleCosts(const Problem& problem, double factor);
// S'F S for all F. factors[l] is S of block l: all elements row by row, of which those above the
// diagonal are 0 and none on the diagonal is; or a diagonal.
Transformed Congruent(const Problem& problem, const std::vector<std::vector<double>>& factors);
// A dense block has parts.size() rows more, of which row i is parts[i], a number for each row of
// before, in each Y: by one constraint more, for whose F and c no Y is positive definite. Each F_i
// is [F_i, 0; 0, 0] plus W C' + C W', where W spans the vectors that Y is orthogonal to and C is
// extra[i], as many numbers as W has; there is no solution of X where the value is approached only.
Problem OnAFace(const Problem& problem, int block, const std::vector<std::vector<double>>& parts,
                const std::vector<std::vector<double>>& extra);

// How an equality in x stands in SDPA's form, which has inequalities only: as two rows of a
// diagonal block, as two blocks, with another factor in each block, or on the diagonal of a dense
// block.
enum class EqualityForm { kRows, kBlocks, kFactors, kDense };
// One x more: by an equality it is the sum of factors[i] x_i and `constant`. F and c of the others
// are less by as much as its `matrix` and its `cost` give for them, so that X is as before and the
// value is larger by cost times constant.
Problem WithEquality(const Problem& problem, const std::vector<double>& factors, double constant,
                     const SparseMatrix& matrix, double cost, EqualityForm form);

}  // namespace sdpa
