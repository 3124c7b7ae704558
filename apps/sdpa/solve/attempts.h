// The ways to solve a problem, one after another, until one of them comes to an answer.
#pragma once

#include <chrono>

#include "absl/status/statusor.h"
#include "apps/sdpa/interior_point/options.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/options.h"
#include "apps/sdpa/solve/outcome.h"
#include "taskrt/runtime.h"

namespace sdpa {

// A value: what a run is asked for, checked.
struct Run {
  const Problem& problem;
  const Options& options;
  SolverOptions method;
  std::chrono::steady_clock::time_point deadline;  // which method.stops knows, too
};

// The best outcome, without what Solve adds. The first attempt's errors; none where a later one
// needs more memory than there is.
absl::StatusOr<Outcome> MakeAttempts(taskrt::Runtime& runtime, const Run& run);

}  // namespace sdpa
