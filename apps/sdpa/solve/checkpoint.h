// A point of a run in a file (apps/program/checkpoint.h), from which the run goes on.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// Errors of both: those of program::CheckpointWriter and Reader. A file of another problem is
// refused.
absl::Status WriteCheckpoint(const std::string& file, const Problem& problem,
                             const SolutionValues& point);
absl::StatusOr<SolutionValues> ReadCheckpoint(const std::string& file, const Problem& problem);

}  // namespace sdpa
