// The decisions of an interior-point method in an iteration. Pure.
//
// Source: S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J.
// Optimization 2, 1992; K. C. Toh, M. J. Todd and R. H. Tütüncü, SDPT3, 1999 (the exponent and the
// fraction).
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/problem.h"

namespace sdpa {

// The termination criteria: how a run ends at this point; none: it goes on.
// `primal_step` and `dual_step` led to it: after a long step the errors of that side still fall, so
// that infeasibility counts after a short one only.
inline std::optional<Phase> TerminationOf(const Quality& quality, const ProofErrors& proof,
                                          double tolerance, double primal_step, double dual_step) {
  constexpr double kProof = 1e-8, kShort = 0.5;
  if (quality.largest_error() <= tolerance) return Phase::kOptimal;
  if (proof.by_dual < kProof && primal_step < kShort) return Phase::kPrimalInfeasible;
  if (proof.by_x < kProof && dual_step < kShort) return Phase::kDualInfeasible;
  return std::nullopt;
}

// The centering parameter: the share of mu to aim at. `ratio`: the share that the predictor would
// leave; `step`: the shorter one of its two steps. The longer that step, the more the predictor is
// believed; a point that is not feasible stays further inside.
inline double CenteringParameter(double ratio, double step, bool is_feasible) {
  const double exponent = std::max(1.0, 3 * step * step);
  return std::clamp(std::pow(std::max(0.0, ratio), exponent), is_feasible ? 1e-3 : 0.05, 0.8);
}

// Does a run still come further? Its numbers fall in turn: a run has stalled when for many
// iterations none of them has fallen by a tenth.
class ProgressMonitor {
 public:
  // Of the iteration `number`. False: for many iterations none of the numbers was clearly below its
  // least so far.
  bool HasProgress(int number, std::initializer_list<double> values) {
    constexpr double kGain = 0.9;
    constexpr int kIterations = 30;
    least_.resize(values.size(), std::numeric_limits<double>::infinity());
    auto least = least_.begin();
    for (const double value : values) {
      if (value < kGain * *least) {
        *least = value;
        last_gain_ = number;
      }
      ++least;
    }
    return number - last_gain_ < kIterations;
  }

 private:
  std::vector<double> least_;
  int last_gain_ = 0;
};

// How much of the step to the boundary is taken: more where the predictor could go far.
inline double FractionToBoundary(double step) { return 0.9 + 0.08 * step; }

// The next regularization: the relative shift of a matrix' diagonal to try after `shift` has not
// made it positive definite; 0: give up. `rounding`: the numbers' relative error. Eight tries at
// most lead to 1e-8, beyond which refinement does not come back to the matrix as it is.
inline double NextRegularization(double shift, double rounding) {
  constexpr double kMost = 1e-8;
  if (shift >= kMost) return 0;
  if (shift == 0) return 10 * rounding;
  const double times = rounding > 1e-20 ? 100 : 1e4;
  // Not by roundings above the most, nor a last one that is left out by them.
  return times * shift > 0.99 * kMost ? kMost : times * shift;
}

// A second corrector saves about one iteration of ten, of which the factorization of the dense
// Schur complement's matrix takes m³ / 3 products, and costs some products of all blocks.
inline bool IsWorthASecondCorrector(const Problem& problem) {
  double cubes = 0;
  for (const Block& block : problem.blocks) {
    if (block.shape == Shape::kDense) cubes += std::pow(block.size, 3);
  }
  constexpr double kTimes = 150;
  return std::pow(static_cast<double>(problem.constraints()), 3) / 3 > kTimes * cubes;
}

}  // namespace sdpa
