// Points, iterations and ends of an interior-point method. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "apps/sdpa/linear/block_matrix.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/schur/make.h"

namespace sdpa {

// A value. x, X = F_1 x_1 + ... - F_0 as far as it is feasible, and Y.
template <typename Real>
struct Point {
  std::vector<Real> x;
  BlockMatrix<Real> slack;  // X
  BlockMatrix<Real> dual;   // Y
};

template <typename Real>
SolutionValues ValuesOf(const Point<Real>& point) {
  const auto each = [](std::span<const Real> numbers, const auto& part) {
    std::vector<double> doubles(numbers.size());
    std::transform(numbers.begin(), numbers.end(), doubles.begin(), part);
    return doubles;
  };
  const auto high = [](const Real& number) { return static_cast<double>(number); };
  const std::size_t blocks = point.slack.layout().blocks.size();
  SolutionValues values = {.x = each(point.x, high), .slack = {}, .dual = {}};
  for (std::size_t l = 0; l < blocks; ++l) {
    values.slack.push_back(each(point.slack.elements(l), high));
    values.dual.push_back(each(point.dual.elements(l), high));
  }
  if constexpr (!std::is_same_v<Real, double>) {
    const auto low = [](const Real& number) { return number.low(); };
    values.low.x = each(point.x, low);
    for (std::size_t l = 0; l < blocks; ++l) {
      values.low.slack.push_back(each(point.slack.elements(l), low));
      values.low.dual.push_back(each(point.dual.elements(l), low));
    }
  }
  return values;
}

// A value: how good a point is. The errors are the DIMACS errors 3, 1, 5 and 6 (certify.h), of
// which 2 and 4 are 0 for the method's points, so that a solution for the method is one for the
// certificate.
struct Quality {
  double primal = 0, dual = 0;  // objectives
  double primal_error = 0;      // |F_1 x_1 + ... - F_0 - X| over 1 and F_0's largest element
  double dual_error = 0;        // |F.Y - c| over 1 and the largest c_i
  double gap = 0;               // of the objectives, over 1 and both of them
  double product = 0;           // X.Y over 1 and both objectives
  double mu = 0;                // X.Y over the rows

  // Returns NaN if an error is NaN.
  double largest_error() const {
    double largest = 0;
    for (const double error : {primal_error, dual_error, gap, product}) {
      if (!(error <= largest)) largest = error;
      if (std::isnan(largest)) break;
    }
    return largest;
  }
};

// A value: how far a point is from a proof that there is no solution, in the problem's own units
// (certify.h). Infinity: the point is no proof of this kind.
struct ProofErrors {
  double by_dual = 0;  // |F.Y| over F_0.Y: no x is feasible
  double by_x = 0;     // how far F_1 x_1 + ... is from positive semidefinite, over -c'x: no Y is
};

// A value: the steps of an iteration, and the point that they led to.
struct Iteration {
  int number = 0;
  Quality quality;
  double primal_step = 0, dual_step = 0;
};

// A value.
struct SolverOptions {
  int most_iterations = 100;
  double tolerance = 1e-7;  // of all errors of a solution
  // X and Y begin as this times I; 0: by the problem's numbers.
  double start = 0;
  SchurKind schur = SchurKind::kChosen;
  double most_bytes = std::numeric_limits<double>::infinity();  // for the Schur complement's matrix
  int cuda_devices = 0;                                         // of the runtime
  // Where to begin instead, as far as it says something of this problem; null: `start`. Outlives
  // the run.
  const SolutionValues* initial = nullptr;
  bool resumes = false;  // `initial` is a point of this run, which goes on from there
  bool reduces = true;   // the problem first, where it can be (reduce/solve_reduced.h)
  // Asked before each iteration: is the run to end here?
  std::function<bool()> stops;
  // After each iteration; `values` gives the point that it has come to. An error ends the run.
  std::function<absl::Status(const Iteration&, const std::function<SolutionValues()>& values)>
      progress;
};

// kStopped: by SolverOptions::stops. Of that, of kStalled and of kTooManyIterations the point is
// the best that the run came to.
enum class Phase {
  kOptimal,
  kPrimalInfeasible,
  kDualInfeasible,
  kStalled,
  kTooManyIterations,
  kStopped
};

constexpr std::string_view ToString(Phase phase) {
  switch (phase) {
    case Phase::kOptimal:
      return "optimal";
    case Phase::kPrimalInfeasible:
      return "primal infeasible";
    case Phase::kDualInfeasible:
      return "dual infeasible";
    case Phase::kStalled:
      return "stalled";
    case Phase::kTooManyIterations:
      return "too many iterations";
    case Phase::kStopped:
      return "stopped";
  }
  return "";
}

}  // namespace sdpa
