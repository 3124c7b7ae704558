// A run of the solver, and the check of its outcome.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/certify.h"
#include "apps/sdpa/files/solution.h"
#include "apps/sdpa/flags.h"
#include "apps/sdpa/solver/point.h"
#include "taskrt/runtime.h"
#include "topo/topo.h"

namespace sdpa {

// A value: a verified outcome.
struct Outcome {
  Phase phase = Phase::kStalled;
  SolutionValues solution;
  Certificate certificate;   // of an optimal one
  InfeasibilityProof proof;  // else
  std::vector<Iteration> iterations;
  double mu = 0;  // X.Y over the rows
  int threads = 1;
  bool is_sparse = false;
  double seconds = 0;  // virtual ones where all devices are simulated
  double elements_seconds = 0, cholesky_seconds = 0;  // summed over tasks
  taskrt::RuntimeCounts counts;
};

// Errors: DeadlineExceeded where the method came to no outcome that can be verified, with how far
// it came; those of checkpoints and of the runtime.
absl::StatusOr<Outcome> SolveAndCertify(const Resolved& resolved, const topo::Mapping& mapping,
                                        const std::function<void(const Iteration&)>& progress);

}  // namespace sdpa
