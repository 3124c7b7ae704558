#include "apps/sdpa/solve.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/checkpoint.h"
#include "apps/sdpa/checkpoint.h"
#include "apps/sdpa/instance.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/reduce/solve_on_face.h"
#include "apps/sdpa/solver/interior_point.h"
#include "taskrt/devices.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

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
                                  const SolverOptions& options, const Clock::time_point& deadline) {
  absl::StatusOr<Solution<Real>> solution = runtime.Run(
      [&](taskrt::Runtime& rt) { return SolveOnFace<Real>(rt, resolved.problem, options); });
  if (!solution.ok()) return solution.status();
  Outcome outcome;
  outcome.solution = ValuesOf(solution->point);
  outcome.judgement = Judge(resolved.problem, outcome.solution, solution->phase, options.tolerance);
  if (outcome.judgement.status == Status::kInterrupted && Clock::now() >= deadline) {
    outcome.judgement.status = Status::kTimeLimit;
  }
  outcome.is_double_double = std::is_same_v<Real, DoubleDouble>;
  outcome.is_sparse = solution->is_sparse;
  if (!resolved.devices.is_virtual()) outcome.elements_seconds = solution->seconds.elements;
  if (resolved.devices.all() == 0) outcome.cholesky_seconds = solution->seconds.cholesky;
  return outcome;
}

bool IsStopped(Status status) {
  return status == Status::kTimeLimit || status == Status::kInterrupted;
}

bool IsWorthMoreDigits(const Resolved& resolved, Status status) {
  if (resolved.precision != Precision::kChosen || IsStopped(status)) return false;
  // A limit of the user's is one of the whole run.
  if (status == Status::kTooManyIterations && resolved.has_iterations) return false;
  return ExitCodeOf(status) != 0;
}

// The run in pairs of doubles where it says more than `first`, which it is given to.
absl::Status GoOnInPairs(taskrt::Runtime& runtime, const Resolved& resolved,
                         const SolverOptions& options, const Clock::time_point& deadline,
                         Outcome& first) {
  SolverOptions of_pairs = options;
  of_pairs.schur = SchurKind::kDense;
  if (!resolved.has_iterations) of_pairs.most_iterations = kIterationsOfPairs;
  // Its matrices are twice as large.
  of_pairs.most_bytes -= BytesOfBlockMatrices(resolved.problem.blocks, false);
  if (!(of_pairs.most_bytes > 0)) return absl::OkStatus();
  absl::StatusOr<Outcome> second = RunSolver<DoubleDouble>(runtime, resolved, of_pairs, deadline);
  if (absl::IsResourceExhausted(second.status())) return absl::OkStatus();
  if (!second.ok()) return second.status();
  const Status stop = second->judgement.status;
  const auto sum = [](std::optional<double> one, std::optional<double> other) {
    return one && other ? std::optional(*one + *other) : std::nullopt;
  };
  const auto elements = sum(first.elements_seconds, second->elements_seconds),
             cholesky = sum(first.cholesky_seconds, second->cholesky_seconds);
  if (IsBetter(second->judgement, first.judgement)) first = *std::move(second);
  if (IsStopped(stop) && ExitCodeOf(first.judgement.status) != 0) first.judgement.status = stop;
  first.elements_seconds = elements;
  first.cholesky_seconds = cholesky;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Outcome> SolveAndCertify(const Resolved& resolved, const topo::Mapping& mapping,
                                        const std::function<void(const Iteration&)>& progress,
                                        const std::function<bool()>& was_interrupted) {
  const auto begun = Clock::now();
  const Clock::time_point deadline =
      resolved.seconds ? begun + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(*resolved.seconds))
                       : Clock::time_point::max();
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
  options.stops = [&] {
    return (was_interrupted && was_interrupted()) || Clock::now() >= deadline;
  };
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

  const bool is_in_pairs = resolved.precision == Precision::kDoubleDouble;
  absl::StatusOr<Outcome> outcome =
      is_in_pairs ? RunSolver<DoubleDouble>(**runtime, resolved, options, deadline)
                  : RunSolver<double>(**runtime, resolved, options, deadline);
  absl::Status status = outcome.status();
  if (status.ok() && IsWorthMoreDigits(resolved, outcome->judgement.status)) {
    status = GoOnInPairs(**runtime, resolved, options, deadline, *outcome);
  }
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(resolved.name, ": ", std::string(status.message())));
  }
  outcome->seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (resolved.devices.is_virtual()) outcome->seconds = (*runtime)->pool().simulated_ns() * 1e-9;
  outcome->policy = mapping.policy();
  outcome->threads = mapping.size();
  outcome->iterations = std::move(iterations);
  outcome->counts = (*runtime)->counts();
  outcome->checkpoint = of_checkpoint;
  return outcome;
}

}  // namespace sdpa
