// A run from a checkpoint, and with one where its options name it.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/program/checkpoint.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {

// A value.
struct ResumableOutcome {
  Outcome outcome;
  absl::Status checkpoint;  // of the last that was to be written: the run goes on without it
};

// `progress`: as that of Options, which is left out. `name`: of the problem, which stands before
// Solve's errors. Errors: those of checkpoints and of Solve.
absl::StatusOr<ResumableOutcome> SolveResumably(
    const std::string& name, const Problem& problem, Options options,
    const program::CheckpointOptions& checkpoint,
    const std::function<bool(const Iteration&)>& progress = {});

}  // namespace sdpa
