// A run of the program, as its flags say, from a checkpoint and with one where they name it.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/sdpa/run/resolve.h"
#include "apps/sdpa/solve/solve.h"
#include "topo/topo.h"

namespace sdpa {

// A value.
struct ResumableOutcome {
  Outcome outcome;
  absl::Status checkpoint;  // of the last that was to be written: the run goes on without it
};

// `progress`: as that of Options. Errors: those of checkpoints and of Solve, with the problem's
// name before them.
absl::StatusOr<ResumableOutcome> SolveResumably(
    const Resolved& resolved, const topo::Mapping& mapping,
    const std::function<bool(const Iteration&)>& progress = {});

}  // namespace sdpa
