// The infeasible primal-dual interior-point method with Mehrotra's predictor and corrector.
//
// Source: [ULIBC14] section 4.3; K. Fujisawa et al., SDPA User's Manual 7.1.0, 2008.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "apps/sdpa/interior_point/options.h"
#include "apps/sdpa/interior_point/point.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/schur/schur.h"
#include "taskrt/runtime.h"

namespace sdpa {

// A value.
template <typename Real>
struct Solution {
  Phase phase = Phase::kStalled;
  Point<Real> point;
  // Of a phase of infeasibility: the point with the least errors, if they are below 1e-4. It is the
  // answer where the proof turns out not to hold.
  std::optional<Point<Real>> nearest;
  Quality quality;
  int iterations = 0;
  bool is_sparse = false;  // the Schur complement's matrix was
  SchurSeconds seconds;
};

// From a thread of the runtime's pool; by all of it. The same to the last bit for any number of
// workers. Errors: MakeSchur's, the runtime's, and those of options.progress.
template <typename Real>
absl::StatusOr<Solution<Real>> Solve(taskrt::Runtime& runtime, const Problem& problem,
                                     const SolverOptions& options);

extern template absl::StatusOr<Solution<double>> Solve(taskrt::Runtime& runtime,
                                                       const Problem& problem,
                                                       const SolverOptions& options);
extern template absl::StatusOr<Solution<DoubleDouble>> Solve(taskrt::Runtime& runtime,
                                                             const Problem& problem,
                                                             const SolverOptions& options);

// On a runtime of its own, of so many workers and no devices; 0: as many as the machine runs at
// once.
absl::StatusOr<Solution<double>> Solve(const Problem& problem, const SolverOptions& options = {},
                                       int threads = 0);

}  // namespace sdpa
