// The interior-point method on the problem without its equalities, its second-order cones and what
// lies off the smallest face that it shows, and the solution of the whole problem from there.
#pragma once

#include "absl/status/statusor.h"
#include "apps/sdpa/problem.h"
#include "apps/sdpa/solver/interior_point.h"
#include "apps/sdpa/solver/point.h"
#include "taskrt/runtime.h"

namespace sdpa {

// As Solve (solver/interior_point.h); the same where options.reduces is not set.
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
