// The interior-point method on the smallest face that the problem shows, and the solution of the
// whole problem from it.
#pragma once

#include "absl/status/statusor.h"
#include "apps/sdpa/problem.h"
#include "apps/sdpa/solver/interior_point.h"
#include "apps/sdpa/solver/point.h"
#include "taskrt/runtime.h"

namespace sdpa {

// As Solve (solver/interior_point.h); the same where options.is_on_face is not set.
template <typename Real>
absl::StatusOr<Solution<Real>> SolveOnFace(taskrt::Runtime& runtime, const Problem& problem,
                                           const SolverOptions& options);

extern template absl::StatusOr<Solution<double>> SolveOnFace(taskrt::Runtime& runtime,
                                                             const Problem& problem,
                                                             const SolverOptions& options);
extern template absl::StatusOr<Solution<DoubleDouble>> SolveOnFace(taskrt::Runtime& runtime,
                                                                   const Problem& problem,
                                                                   const SolverOptions& options);

}  // namespace sdpa
