#include "apps/sdpa/solve.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/checkpoint.h"
#include "apps/sdpa/checkpoint.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/solver/interior_point.h"
#include "taskrt/devices.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

// What a solution's DIMACS errors may be.
constexpr double kMostError = 1e-5;
// Solutions are at least this large where it is said that there are none.
constexpr double kLeastSize = 1e7;

absl::StatusOr<std::unique_ptr<taskrt::Runtime>> MakeRuntime(const Resolved& resolved,
                                                             const topo::Mapping& mapping) {
  taskrt::RuntimeOptions options;
  options.pool.workers = mapping.size();
  options.pool.placement = mapping.policy();
  options.devices = taskrt::MakeDevices(resolved.devices, {}).devices;
  if (resolved.devices.is_virtual()) {
    options.pool.placement = topo::Policy::kNone;
    // Tasks take long: as apps/cholesky.
    options.pool.simulation = lwt::SimulationOptions{.costs = {.look_ns = 2000}};
  }
  return taskrt::Runtime::Create(std::move(options));
}

template <typename Real>
absl::StatusOr<Outcome> RunSolver(taskrt::Runtime& runtime, const Resolved& resolved,
                                  const SolverOptions& options) {
  absl::StatusOr<Solution<Real>> solution =
      runtime.Run([&](taskrt::Runtime& rt) { return Solve<Real>(rt, resolved.problem, options); });
  if (!solution.ok()) return solution.status();
  Outcome outcome;
  outcome.phase = solution->phase;
  outcome.solution = ValuesOf(solution->point);
  outcome.is_sparse = solution->is_sparse;
  outcome.elements_seconds = solution->seconds.elements;
  outcome.cholesky_seconds = solution->seconds.cholesky;
  return outcome;
}

// Is the outcome what it says to be?
absl::Status Verify(const Resolved& resolved, Outcome& outcome) {
  const SolutionValues& claim = outcome.solution;
  if (outcome.phase == Phase::kPrimalInfeasible || outcome.phase == Phase::kDualInfeasible) {
    outcome.proof = outcome.phase == Phase::kPrimalInfeasible
                        ? ProvePrimalInfeasible(resolved.problem, claim)
                        : ProveDualInfeasible(resolved.problem, claim);
    if (outcome.proof.least_size >= kLeastSize) return absl::OkStatus();
  }
  outcome.certificate = Certify(resolved.problem, claim);
  if (outcome.phase == Phase::kOptimal && outcome.certificate.largest_error() <= kMostError) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError(absl::StrCat(
      resolved.name, ": no solution after ", outcome.iterations.size(), " iterations; primal ",
      outcome.certificate.primal, ", dual ", outcome.certificate.dual, ", largest DIMACS error ",
      outcome.certificate.largest_error(),
      resolved.is_double_double
          ? ""
          : "; --precision=dd may come further, as may a larger --tolerance"));
}

}  // namespace

absl::StatusOr<Outcome> SolveAndCertify(const Resolved& resolved, const topo::Mapping& mapping,
                                        const std::function<void(const Iteration&)>& progress) {
  auto runtime = MakeRuntime(resolved, mapping);
  if (!runtime.ok()) return runtime.status();
  SolverOptions options = resolved.options;
  if (resolved.initial) options.initial = &*resolved.initial;
  std::optional<SolutionValues> resumed;
  if (resolved.checkpoint.resume) {
    auto read = ReadCheckpoint(resolved.checkpoint.file, resolved.problem);
    if (!read.ok()) return read.status();
    resumed = *std::move(read);
    options.initial = &*resumed;
  }
  std::vector<Iteration> iterations;
  Clock::time_point written = Clock::now();
  options.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) -> absl::Status {
    iterations.push_back(iteration);
    if (progress) progress(iteration);
    if (resolved.checkpoint.file.empty() || Clock::now() - written < resolved.checkpoint.every) {
      return absl::OkStatus();
    }
    const absl::Status status =
        WriteCheckpoint(resolved.checkpoint.file, resolved.problem, values());
    written = Clock::now();
    return status;
  };

  const auto begun = Clock::now();
  absl::StatusOr<Outcome> outcome = resolved.is_double_double
                                        ? RunSolver<DoubleDouble>(**runtime, resolved, options)
                                        : RunSolver<double>(**runtime, resolved, options);
  if (!outcome.ok()) {
    return absl::Status(outcome.status().code(),
                        absl::StrCat(resolved.name, ": ", std::string(outcome.status().message())));
  }
  outcome->seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (resolved.devices.is_virtual()) outcome->seconds = (*runtime)->pool().simulated_ns() * 1e-9;
  outcome->threads = mapping.size();
  outcome->iterations = std::move(iterations);
  if (!outcome->iterations.empty()) outcome->mu = outcome->iterations.back().mu;
  outcome->counts = (*runtime)->counts();
  if (const absl::Status verified = Verify(resolved, *outcome); !verified.ok()) return verified;
  return outcome;
}

}  // namespace sdpa
