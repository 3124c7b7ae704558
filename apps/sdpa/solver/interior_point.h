// The infeasible primal-dual interior-point method with Mehrotra's predictor and corrector, in the
// direction of Helmberg, Rendl, Vanderbei and Wolkowicz, Kojima, Shindoh and Hara, and Monteiro
// (HKM).
//
// Source: [ULIBC14] section 4.3; K. Fujisawa et al., SDPA User's Manual 7.1.0, 2008.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/problem.h"
#include "apps/sdpa/solver/block_matrix.h"

namespace sdpa {

// A value. x, X = F_1 x_1 + ... - F_0 as far as it is feasible, and Y.
struct Point {
  std::vector<double> x;
  BlockMatrix slack;  // X
  BlockMatrix dual;   // Y
};

// A value: how good a point is. The objectives' difference is relative to their mean size, or to 1.
struct Quality {
  double primal = 0, dual = 0;  // objectives
  double primal_error = 0;      // the largest element of F_1 x_1 + ... - F_0 - X
  double dual_error = 0;        // the largest difference of F_i.Y and c_i
  double gap = 0;               // of the objectives, relative
};

// A value.
struct Iteration {
  int number = 0;
  double mu = 0;  // X.Y over the rows
  Quality quality;
  double primal_step = 0, dual_step = 0;
};

// A value.
struct SolverOptions {
  int most_iterations = 100;
  double tolerance = 1e-7;      // of gap and, relative to the problem's largest number, of errors
  double start = 100;           // X = Y = that, or ten times the problem's largest number, times I
  double step_fraction = 0.95;  // of the way to the boundary
  std::function<void(const Iteration&)> progress;
};

enum class Phase { kOptimal, kStalled };

// A value.
struct Solution {
  Phase phase = Phase::kStalled;
  Point point;
  Quality quality;
  int iterations = 0;
};

// By one thread: the BLAS, too, has one from here on.
absl::StatusOr<Solution> Solve(const Problem& problem, const SolverOptions& options = {});

Quality QualityOf(const Problem& problem, const Point& point);

}  // namespace sdpa
