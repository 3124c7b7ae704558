// The options of a run of the method. Pure.
#pragma once

#include <functional>
#include <limits>

#include "absl/status/status.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/schur/kind.h"

namespace sdpa {

// A value.
struct SolverOptions {
  int most_iterations = 100;
  double tolerance = 1e-7;  // of all errors of a solution
  // X and Y begin as this times I; 0: by the problem's numbers.
  double start = 0;
  SchurKind schur = SchurKind::kChosen;
  double most_bytes = std::numeric_limits<double>::infinity();  // for the Schur complement's matrix
  int cuda_devices = 0;                                         // of the runtime
  // Where to begin instead, as far as it says something of this problem; null: `start`. Outlives
  // the run.
  const SolutionValues* initial = nullptr;
  bool resumes = false;  // `initial` is a point of this run, which goes on from there
  bool reduces = true;   // the problem first, where it can be (reduce/solve_reduced.h)
  // Asked before each iteration: is the run to end here?
  std::function<bool()> stops;
  // After each iteration; `values` gives the point that it has come to. An error ends the run.
  std::function<absl::Status(const Iteration&, const std::function<SolutionValues()>& values)>
      progress;
};

}  // namespace sdpa
