// The solver for other programs: a run, and the check of its outcome.
//
//   sdpa::Problem problem;                            // or sdpa::Parse (files/formats.h)
//   ...
//   const auto outcome = sdpa::Solve(problem, {.tolerance = 1e-8});
//   if (outcome.ok() && outcome->judgement.status == sdpa::Status::kOptimal)
//   Use(outcome->solution);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/files/solution.h"
#include "apps/sdpa/judge.h"
#include "apps/sdpa/problem.h"
#include "apps/sdpa/solver/point.h"
#include "taskrt/devices.h"
#include "taskrt/runtime.h"
#include "topo/topo.h"

namespace sdpa {

// kChosen: doubles, and pairs of them where these come to no answer.
enum class Precision { kChosen, kDouble, kDoubleDouble };

inline constexpr double kLeastTolerance = 1e-28;
// Where no other number is given, of runs in pairs of doubles.
inline constexpr int kIterationsOfPairs = 500;

// A value.
struct Options {
  Precision precision = Precision::kChosen;
  std::optional<double> tolerance;  // of all six errors; default: 1e-7, of kDoubleDouble 1e-14
  std::optional<int> iterations;    // at most; default: 100, of pairs of doubles 500
  std::optional<double> seconds;    // of the whole run, which ends between two iterations
  std::optional<double> start;      // X and Y begin as this times I; default: by the numbers
  // Where to begin instead. X and Y that are not positive definite are made so.
  const SolutionValues* initial = nullptr;
  SchurKind schur = SchurKind::kChosen;
  int threads = 0;  // 0: as many as the machine runs at once; there may be more
  std::optional<topo::Mapping> mapping;  // the threads and where they are bound, instead
  taskrt::DeviceCounts devices;          // that factor the dense Schur complement's matrix
  std::optional<double> most_bytes;      // default: what the machine has left
  // Called after each iteration by one thread at a time, not always the caller's; `point` gives
  // the point that it has come to. False ends the run with the best point so far.
  std::function<bool(const Iteration&, const std::function<SolutionValues()>& point)> progress;

  double tolerance_or_default() const {
    return tolerance.value_or(precision == Precision::kDoubleDouble ? 1e-14 : 1e-7);
  }
  int iterations_or_default() const {
    return iterations.value_or(precision == Precision::kDoubleDouble ? kIterationsOfPairs : 100);
  }
};

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
};

// Starts threads of its own, which have ended when it returns. The same for any number of threads,
// to the last bit. Every end that the method comes to is an outcome. Errors: InvalidArgument, for
// which CheckProblem (check_problem.h), an initial point of other sizes, and a tolerance, number of
// iterations, start or time that is none are the reasons; ResourceExhausted; the runtime's.
//
// Threads: several runs at once are independent of each other.
absl::StatusOr<Outcome> Solve(const Problem& problem, const Options& options = {});

}  // namespace sdpa
