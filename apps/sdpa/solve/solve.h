// The solver for other programs: a run, and the check of its outcome.
//
//   sdpa::Problem problem;                            // or sdpa::Parse (files/formats.h)
//   ...
//   const auto outcome = sdpa::Solve(problem, {.tolerance = 1e-8});
//   if (outcome.ok()) Use(outcome->judgement.status, outcome->solution);
#pragma once

#include "absl/status/statusor.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/options.h"
#include "apps/sdpa/solve/outcome.h"

namespace sdpa {

// Starts threads of its own, which have ended when it returns. The same for any number of threads,
// to the last bit. Every end that the method comes to is an outcome. Errors: InvalidArgument, for
// which CheckProblem (problem/check_problem.h), an initial point of other sizes, and a tolerance,
// number of iterations, start or time that is none are the reasons; ResourceExhausted; the
// runtime's.
//
// Threads: several runs at once are independent of each other.
absl::StatusOr<Outcome> Solve(const Problem& problem, const Options& options = {});

}  // namespace sdpa
