// A factorization by taskrt, and its measurements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/cholesky/factorize/setup.h"
#include "apps/cholesky/problem/problem.h"
#include "apps/program/spread.h"
#include "taskrt/plan/plan.h"
#include "taskrt/runtime.h"
#include "taskrt/trace/trace.h"

namespace cholesky {

// A value.
struct Row {
  int devices = 0;                 // how many were found
  std::string missing;             // devices, in a sentence
  std::vector<std::string> notes;  // of the setup
  std::uint64_t tasks = 0, gemm_tasks = 0;
  taskrt::CopyCounts copies;
  taskrt::CopyCount least;                // copies, for the places that the tasks were given
  std::uint64_t accesses_on_devices = 0;  // reads and writes: the copies without optimization
  double seconds = 0;                     // virtual beside simulated devices
  double gflop_per_s = 0;
  // The speeds of several repetitions, of which all else is the one in the middle.
  std::optional<program::Spread> gflop_per_s_spread;
  double residual = 0;                // zero where no numbers were computed
  std::vector<taskrt::Place> places;  // of the tasks
  taskrt::Trace trace;                // without events unless a flag asks for a file of it
};

// Errors: those of the runtime, FailedPrecondition for a matrix that is not positive definite;
// Internal: the answer is wrong, or a dry run's counts are.
absl::StatusOr<Row> Factorize(const Problem& problem, const SetupOptions& options);

// So many, each of a matrix of its own. Errors: those of Factorize.
absl::StatusOr<Row> FactorizeRepeatedly(const Problem& problem, const SetupOptions& options,
                                        int repetitions);

// The copies that a run will make, planned before it. Errors: those of the runtime.
absl::StatusOr<taskrt::CopyPlan> PlanFor(const Problem& problem, const SetupOptions& options);

// Internal: the copies of the run differ from the plan's.
absl::Status CheckPlan(const taskrt::CopyPlan& plan, const Row& row);

}  // namespace cholesky
