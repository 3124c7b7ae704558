#include "apps/sdpa/solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/checkpoint.h"
#include "apps/sdpa/checkpoint.h"
#include "apps/sdpa/instance.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/reduce/face.h"
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
  outcome.has_converged = solution->phase == Phase::kOptimal;
  outcome.is_sparse = solution->is_sparse;
  if (!resolved.devices.is_virtual()) outcome.elements_seconds = solution->seconds.elements;
  if (resolved.devices.all() == 0) outcome.cholesky_seconds = solution->seconds.cholesky;
  return outcome;
}

bool IsStopped(Status status) {
  return status == Status::kTimeLimit || status == Status::kInterrupted;
}

// A value: one way to solve the problem. The next follows where one came to no answer.
struct Attempt {
  bool is_in_pairs = false, is_on_face = true;
};

// A solution on a face may take numbers x as no double and no pair of them has, and be
// approached by moderate ones without the face. Pairs see what roundings of the data contradict,
// and come last.
std::vector<Attempt> AttemptsFor(const Resolved& resolved) {
  std::vector<Attempt> attempts;
  const bool has_face = Face::Of(resolved.problem).has_value();
  for (const bool is_in_pairs : {false, true}) {
    if (resolved.precision == (is_in_pairs ? Precision::kDouble : Precision::kDoubleDouble)) {
      continue;
    }
    attempts.push_back({.is_in_pairs = is_in_pairs});
    if (has_face) attempts.push_back({.is_in_pairs = is_in_pairs, .is_on_face = false});
  }
  return attempts;
}

bool IsWorthAnother(const Resolved& resolved, Status status) {
  if (IsStopped(status) || ExitCodeOf(status) == 0) return false;
  // A limit of the user's is one of the whole run.
  return status != Status::kTooManyIterations || !resolved.has_iterations;
}

absl::StatusOr<Outcome> Run(taskrt::Runtime& runtime, const Resolved& resolved,
                            SolverOptions options, const Clock::time_point& deadline,
                            const Attempt& attempt, bool is_first) {
  options.is_on_face = attempt.is_on_face;
  if (!attempt.is_in_pairs) return RunSolver<double>(runtime, resolved, options, deadline);
  if (!is_first) {
    options.schur = SchurKind::kDense;
    // Its matrices are twice as large.
    options.most_bytes -= BytesOfBlockMatrices(resolved.problem.blocks, false);
    if (!(options.most_bytes > 0)) return absl::ResourceExhaustedError("");
  }
  if (!resolved.has_iterations) options.most_iterations = kIterationsOfPairs;
  return RunSolver<DoubleDouble>(runtime, resolved, options, deadline);
}

// The one of two that says more; the seconds are of both.
void Keep(Outcome&& next, Outcome& best) {
  const auto sum = [](std::optional<double> one, std::optional<double> other) {
    return one && other ? std::optional(*one + *other) : std::nullopt;
  };
  const auto elements = sum(best.elements_seconds, next.elements_seconds),
             cholesky = sum(best.cholesky_seconds, next.cholesky_seconds);
  const Status stop = next.judgement.status;
  if (IsBetter(next.judgement, best.judgement)) best = std::move(next);
  if (IsStopped(stop) && ExitCodeOf(best.judgement.status) != 0) best.judgement.status = stop;
  best.elements_seconds = elements;
  best.cholesky_seconds = cholesky;
}

// Without its face a problem may have points within the tolerance whose value is another: no
// solution, where the method found the value on the face.
void Doubt(std::optional<double> on_face, Outcome& without) {
  constexpr double kAlike = 1e-6;
  if (!on_face || without.judgement.status != Status::kOptimal) return;
  const double difference = std::abs(without.judgement.certificate.dual - *on_face);
  if (difference > kAlike * (1 + std::abs(*on_face))) {
    without.judgement.status = Status::kReducedAccuracy;
  }
}

absl::StatusOr<Outcome> RunAttempts(taskrt::Runtime& runtime, const Resolved& resolved,
                                    const SolverOptions& options,
                                    const Clock::time_point& deadline) {
  std::optional<Outcome> best;
  std::optional<double> on_face;
  for (const Attempt& attempt : AttemptsFor(resolved)) {
    if (best && !IsWorthAnother(resolved, best->judgement.status)) break;
    absl::StatusOr<Outcome> outcome = absl::ResourceExhaustedError("");
    try {
      outcome = Run(runtime, resolved, options, deadline, attempt, !best);
    } catch (const std::bad_alloc&) {
      if (!best) throw;
    }
    // There is an answer, as good as memory allows.
    if (best && !outcome.ok()) continue;
    if (!outcome.ok()) return outcome.status();
    if (attempt.is_on_face && outcome->has_converged) {
      on_face = outcome->judgement.certificate.dual;
    }
    if (!attempt.is_on_face) Doubt(on_face, *outcome);
    if (best) {
      Keep(*std::move(outcome), *best);
    } else {
      best = *std::move(outcome);
    }
  }
  return *std::move(best);
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

  absl::StatusOr<Outcome> outcome = RunAttempts(**runtime, resolved, options, deadline);
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
  return outcome;
}

}  // namespace sdpa
