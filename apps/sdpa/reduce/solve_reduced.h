// Reductions, one inside the other: equalities, second-order cones, faces, and components of
// blocks. The interior-point method solves the problem that is left, and the solution of the whole
// problem comes back from there.
#pragma once

#include "absl/status/statusor.h"
#include "apps/sdpa/interior_point/interior_point.h"
#include "apps/sdpa/interior_point/options.h"
#include "apps/sdpa/problem/problem.h"
#include "taskrt/runtime.h"

namespace sdpa {

// As Solve (interior_point/interior_point.h); the same where options.reduces is not set.
template <typename Real>
absl::StatusOr<Solution<Real>> SolveReduced(taskrt::Runtime& runtime, const Problem& problem,
                                            const SolverOptions& options);

extern template absl::StatusOr<Solution<double>> SolveReduced(taskrt::Runtime& runtime,
                                                              const Problem& problem,
                                                              const SolverOptions& options);
extern template absl::StatusOr<Solution<DoubleDouble>> SolveReduced(taskrt::Runtime& runtime,
                                                                    const Problem& problem,
                                                                    const SolverOptions& options);

}  // namespace sdpa
