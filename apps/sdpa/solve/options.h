// The options of a run.
#pragma once

#include <functional>
#include <optional>

#include "apps/program/words.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/schur/kind.h"
#include "taskrt/devices.h"
#include "topo/topo.h"

namespace sdpa {

// kChosen: doubles, and pairs of them where these come to no answer.
enum class Precision { kChosen, kDouble, kDoubleDouble };
inline constexpr program::Words<Precision> kPrecisions = {
    {Precision::kChosen, "auto"}, {Precision::kDouble, "double"}, {Precision::kDoubleDouble, "dd"}};

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
  // Where to begin instead, as at the solution of a problem whose numbers are a little different:
  // X and Y are moved inside as far as the errors there say. A point that leads nowhere is let go.
  const SolutionValues* initial = nullptr;
  bool resumes = false;  // `initial` is a point of this run, which goes on from there
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

}  // namespace sdpa
