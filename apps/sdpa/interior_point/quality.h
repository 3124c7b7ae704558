// How good a point is, the iterations of a run, and how it ends. Pure.
#pragma once

#include <cmath>
#include <string_view>

#include "apps/program/words.h"

namespace sdpa {

// A value: how good a point is. The primal error, the dual error, the gap and the product are the
// DIMACS errors 3, 1, 5 and 6 (proof/certify.h). Errors 2 and 4 are 0 at the method's points, so
// that a solution for the method is one for the certificate.
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

inline constexpr program::Words<Phase> kPhases = {
    {Phase::kOptimal, "optimal"},
    {Phase::kPrimalInfeasible, "primal infeasible"},
    {Phase::kDualInfeasible, "dual infeasible"},
    {Phase::kStalled, "stalled"},
    {Phase::kTooManyIterations, "too many iterations"},
    {Phase::kStopped, "stopped"}};
constexpr std::string_view ToString(Phase phase) { return kPhases.Print(phase); }

}  // namespace sdpa
