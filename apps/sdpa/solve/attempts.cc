#include "apps/sdpa/solve/attempts.h"

#include <cmath>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/interior_point/interior_point.h"
#include "apps/sdpa/linear/double_double.h"
#include "apps/sdpa/reduce/equalities.h"
#include "apps/sdpa/reduce/face.h"
#include "apps/sdpa/reduce/solve_reduced.h"
#include "apps/sdpa/solve/memory.h"

namespace sdpa {
namespace {

using Clock = std::chrono::steady_clock;

template <typename Real>
absl::StatusOr<Outcome> RunMethod(taskrt::Runtime& runtime, const Run& run,
                                  const SolverOptions& options) {
  absl::StatusOr<Solution<Real>> solution = runtime.Run(
      [&](taskrt::Runtime& rt) { return SolveReduced<Real>(rt, run.problem, options); });
  if (!solution.ok()) return solution.status();
  Outcome outcome;
  outcome.solution = ValuesOf(solution->point);
  outcome.judgement = Judge(run.problem, outcome.solution, solution->phase, options.tolerance);
  if (solution->nearest && ExitCodeOf(outcome.judgement.status) != 0) {
    SolutionValues nearest = ValuesOf(*solution->nearest);
    const Judgement of_nearest = Judge(run.problem, nearest, Phase::kStalled, options.tolerance);
    if (of_nearest.status == Status::kOptimal || of_nearest.status == Status::kReducedAccuracy) {
      outcome.judgement = of_nearest;
      outcome.solution = std::move(nearest);
    }
  }
  if (outcome.judgement.status == Status::kInterrupted && Clock::now() >= run.deadline) {
    outcome.judgement.status = Status::kTimeLimit;
  }
  outcome.is_double_double = std::is_same_v<Real, DoubleDouble>;
  outcome.has_converged = solution->phase == Phase::kOptimal;
  outcome.is_at_limit = solution->phase == Phase::kTooManyIterations;
  outcome.is_sparse = solution->is_sparse;
  const taskrt::DeviceCounts& devices = run.options.devices;
  if (!devices.is_virtual()) outcome.elements_seconds = solution->seconds.elements;
  if (devices.all() == 0) outcome.cholesky_seconds = solution->seconds.cholesky;
  return outcome;
}

bool IsStopped(Status status) {
  return status == Status::kTimeLimit || status == Status::kInterrupted;
}

// A value: one way to solve the problem. The next follows where one came to no answer.
struct Attempt {
  bool is_in_pairs = false, is_reduced = true;
  bool begins_at_best = false;  // at the best point of the attempts before
};

// A solution on a face may take numbers x as no double and no pair of them has, and be
// approached by moderate ones without the face. Pairs see what roundings of the data contradict,
// and come last: from the point that doubles came to, which saves more than half of the iterations,
// and, where that leads nowhere, from far inside.
std::vector<Attempt> AttemptsAfter(const Attempt& first, const Run& run) {
  std::vector<Attempt> attempts;
  const bool is_reduced =
      Face::Of(run.problem).has_value() || Equalities::Of(run.problem).has_value();
  if (is_reduced) attempts.push_back({.is_in_pairs = first.is_in_pairs, .is_reduced = false});
  if (first.is_in_pairs || run.options.precision == Precision::kDouble) return attempts;
  attempts.push_back({.is_in_pairs = true, .begins_at_best = true});
  attempts.push_back({.is_in_pairs = true});
  if (is_reduced) attempts.push_back({.is_in_pairs = true, .is_reduced = false});
  return attempts;
}

bool IsWorthAnother(const Run& run, const Outcome& outcome) {
  const Status status = outcome.judgement.status;
  if (IsStopped(status) || ExitCodeOf(status) == 0) return false;
  // A limit of the user's is one of the whole run.
  return !outcome.is_at_limit || !run.options.iterations;
}

absl::StatusOr<Outcome> MakeAttempt(taskrt::Runtime& runtime, const Run& run,
                                    const Attempt& attempt, const Outcome* best) {
  SolverOptions options = run.method;
  options.reduces = attempt.is_reduced;
  if (!attempt.is_in_pairs) return RunMethod<double>(runtime, run, options);
  if (attempt.begins_at_best) {
    options.initial = &best->solution;
    options.resumes = false;
  }
  if (best != nullptr) {
    options.schur = SchurKind::kDense;
    // Its matrices are twice as large.
    options.most_bytes -= BytesOfBlockMatrices(run.problem.blocks, false);
    if (!(options.most_bytes > 0)) return absl::ResourceExhaustedError("");
  }
  if (!run.options.iterations) options.most_iterations = kIterationsOfPairs;
  return RunMethod<DoubleDouble>(runtime, run, options);
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

}  // namespace

absl::StatusOr<Outcome> MakeAttempts(taskrt::Runtime& runtime, const Run& run) {
  const Attempt first = {.is_in_pairs = run.options.precision == Precision::kDoubleDouble};
  absl::StatusOr<Outcome> best = MakeAttempt(runtime, run, first, nullptr);
  if (!best.ok() || !IsWorthAnother(run, *best)) return best;
  std::optional<double> on_face;
  if (best->has_converged) on_face = best->judgement.certificate.dual;
  for (const Attempt& attempt : AttemptsAfter(first, run)) {
    absl::StatusOr<Outcome> outcome = absl::ResourceExhaustedError("");
    try {
      outcome = MakeAttempt(runtime, run, attempt, &*best);
    } catch (const std::bad_alloc&) {
    }
    // There is an answer, as good as memory allows.
    if (!outcome.ok()) continue;
    if (attempt.is_reduced && outcome->has_converged) {
      on_face = outcome->judgement.certificate.dual;
    }
    if (!attempt.is_reduced) Doubt(on_face, *outcome);
    Keep(*std::move(outcome), *best);
    if (!IsWorthAnother(run, *best)) break;
  }
  return best;
}

}  // namespace sdpa
