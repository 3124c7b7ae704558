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

// A solution is verified if its DIMACS errors are at most this many times the tolerance: the method
// has brought three of the six below the tolerance, but with sums in another order. Rounding a
// point of pairs of doubles to doubles makes errors of up to kLeastError.
constexpr double kTimesTolerance = 10, kLeastError = 1e-9;
// Solutions are at least this large, in the problem's own units, where it is said that there are
// none.
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
  if (!resolved.devices.is_virtual()) outcome.elements_seconds = solution->seconds.elements;
  if (resolved.devices.all() == 0) outcome.cholesky_seconds = solution->seconds.cholesky;
  return outcome;
}

// What may bring a run further that came to no outcome.
std::string AdviceFor(const Resolved& resolved, const Outcome& outcome) {
  const auto iterations = static_cast<int>(outcome.iterations.size());
  if (outcome.phase == Phase::kStalled && iterations >= resolved.options.most_iterations) {
    return "; there may be no more iterations than that";
  }
  return resolved.is_double_double
             ? ""
             : "; --precision=dd may come further, as may a larger --tolerance";
}

// Is the outcome what it says to be?
absl::Status Verify(const Resolved& resolved, Outcome& outcome) {
  const SolutionValues& claim = outcome.solution;
  outcome.certificate = Certify(resolved.problem, claim);
  if (outcome.phase == Phase::kPrimalInfeasible || outcome.phase == Phase::kDualInfeasible) {
    outcome.proof = outcome.phase == Phase::kPrimalInfeasible
                        ? ProvePrimalInfeasible(resolved.problem, claim)
                        : ProveDualInfeasible(resolved.problem, claim);
    if (outcome.proof.least_size >= kLeastSize) return absl::OkStatus();
  }
  const double most_error = std::max(kLeastError, kTimesTolerance * resolved.options.tolerance);
  if (outcome.phase == Phase::kOptimal && outcome.certificate.largest_error() <= most_error) {
    return absl::OkStatus();
  }
  return absl::DeadlineExceededError(absl::StrCat(
      resolved.name, ": no solution after ", outcome.iterations.size(), " iterations; primal ",
      outcome.certificate.primal, ", dual ", outcome.certificate.dual, ", largest DIMACS error ",
      outcome.certificate.largest_error(), AdviceFor(resolved, outcome)));
}

}  // namespace

absl::StatusOr<Outcome> SolveAndCertify(const Resolved& resolved, const topo::Mapping& mapping,
                                        const std::function<void(const Iteration&)>& progress) {
  const std::string& checkpoint = resolved.checkpoint.file;
  if (!checkpoint.empty()) {
    // Can it be written? To be known before the work.
    const auto writer = program::CheckpointWriter::Open(checkpoint, "");
    if (!writer.ok()) return writer.status();
  }
  auto runtime = MakeRuntime(resolved, mapping);
  if (!runtime.ok()) return runtime.status();
  SolverOptions options = resolved.options;
  if (resolved.initial) options.initial = &*resolved.initial;
  std::optional<SolutionValues> resumed;
  if (resolved.checkpoint.resume) {
    auto read = ReadCheckpoint(checkpoint, resolved.problem);
    if (!read.ok()) return read.status();
    resumed = *std::move(read);
    options.initial = &*resumed;
  }
  std::vector<Iteration> iterations;
  Clock::time_point written = Clock::now();
  absl::Status of_checkpoint;
  options.progress = [&](const Iteration& iteration,
                         const std::function<SolutionValues()>& values) -> absl::Status {
    iterations.push_back(iteration);
    if (progress) progress(iteration);
    const bool is_last = iteration.number == options.most_iterations;
    if (!checkpoint.empty() && (is_last || Clock::now() - written >= resolved.checkpoint.every)) {
      of_checkpoint = WriteCheckpoint(checkpoint, resolved.problem, values());
      written = Clock::now();
    }
    return absl::OkStatus();
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
  outcome->policy = mapping.policy();
  outcome->threads = mapping.size();
  outcome->iterations = std::move(iterations);
  outcome->counts = (*runtime)->counts();
  outcome->checkpoint = of_checkpoint;
  if (const absl::Status verified = Verify(resolved, *outcome); !verified.ok()) return verified;
  return outcome;
}

}  // namespace sdpa
