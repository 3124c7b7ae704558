// A run of the solver, and the check of its outcome.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/files/solution.h"
#include "apps/sdpa/flags.h"
#include "apps/sdpa/judge.h"
#include "apps/sdpa/solver/point.h"
#include "taskrt/runtime.h"
#include "topo/topo.h"

namespace sdpa {

// A value: the best that a run came to.
struct Outcome {
  Judgement judgement;
  SolutionValues solution;  // or the point that a proof is taken from
  std::vector<Iteration> iterations;
  bool is_double_double = false;  // the precision that the point was found with
  bool has_converged = false;     // by the method's own errors
  topo::Policy policy = topo::Policy::kNone;
  int threads = 1;
  bool is_sparse = false;
  double seconds = 0;  // virtual ones where all devices are simulated
  // Summed over tasks; none where they are not known: in virtual time, and of what devices factor.
  std::optional<double> elements_seconds, cholesky_seconds;
  taskrt::RuntimeCounts counts;
  absl::Status checkpoint;  // of the last that was to be written: the run goes on without it
};

// `was_interrupted`: asked before each iteration. Where the precision is to be chosen, pairs of
// doubles follow a run in doubles that neither solved the problem nor proved it infeasible. Errors:
// those of checkpoints and of the runtime.
absl::StatusOr<Outcome> SolveAndCertify(const Resolved& resolved, const topo::Mapping& mapping,
                                        const std::function<void(const Iteration&)>& progress,
                                        const std::function<bool()>& was_interrupted = {});

}  // namespace sdpa
