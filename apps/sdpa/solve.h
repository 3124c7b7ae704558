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
  Certificate certificate;   // of the solution, or of the point that the proof is taken from
  InfeasibilityProof proof;  // of a problem without a solution
  std::vector<Iteration> iterations;
  topo::Policy policy = topo::Policy::kNone;
  int threads = 1;
  bool is_sparse = false;
  double seconds = 0;  // virtual ones where all devices are simulated
  // Summed over tasks; none where they are not known: in virtual time, and of what devices factor.
  std::optional<double> elements_seconds, cholesky_seconds;
  taskrt::RuntimeCounts counts;
  absl::Status checkpoint;  // of the last that was to be written: the run goes on without it
};

// Errors: DeadlineExceeded where the method came to no outcome that can be verified, with how far
// it came; those of checkpoints and of the runtime.
absl::StatusOr<Outcome> SolveAndCertify(const Resolved& resolved, const topo::Mapping& mapping,
                                        const std::function<void(const Iteration&)>& progress);

}  // namespace sdpa
