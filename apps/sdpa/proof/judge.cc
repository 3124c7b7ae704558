#include "apps/sdpa/proof/judge.h"

#include <algorithm>
#include <cmath>

namespace sdpa {
namespace {

// The certificate's sums are in another order than the method's, which makes errors of their own
// where numbers have few digits more than the tolerance.
constexpr double kTimesTolerance = 1.01, kRounding = 1e-15, kRoundingOfPairs = 1e-30;
// A point that says less of the size of solutions is no statement on infeasibility.
constexpr double kLeastSize = 1e6;

Status StatusOfStop(Phase phase) {
  if (phase == Phase::kStopped) return Status::kInterrupted;
  return phase == Phase::kTooManyIterations ? Status::kTooManyIterations : Status::kStalled;
}

}  // namespace

Judgement Judge(const Problem& problem, const SolutionValues& claim, Phase phase,
                double tolerance) {
  Judgement judgement = {
      .status = StatusOfStop(phase), .certificate = Certify(problem, claim), .proof = {}};
  const double error = judgement.certificate.largest_error();
  const double rounding = claim.low.x.empty() ? kRounding : kRoundingOfPairs;
  if (error <= std::max(rounding, kTimesTolerance * tolerance)) {
    judgement.status = Status::kOptimal;
    return judgement;
  }
  const bool is_reduced = error < kReducedAccuracy;
  if (!is_reduced) {
    const InfeasibilityProof by_dual = ProvePrimalInfeasible(problem, claim),
                             by_x = ProveDualInfeasible(problem, claim);
    const bool is_primal = by_dual.least_size >= by_x.least_size;
    const InfeasibilityProof& proof = is_primal ? by_dual : by_x;
    if (proof.least_size >= kLeastSize) {
      judgement.proof = proof;
      judgement.status = proof.IsProof()
                             ? is_primal ? Status::kPrimalInfeasible : Status::kDualInfeasible
                         : is_primal ? Status::kPrimalInfeasibleUpTo
                                     : Status::kDualInfeasibleUpTo;
      return judgement;
    }
  }
  if (is_reduced && judgement.status != Status::kInterrupted) {
    judgement.status = Status::kReducedAccuracy;
  }
  return judgement;
}

bool IsBetter(const Judgement& one, const Judgement& other) {
  const int code = ExitCodeOf(one.status), code_of_other = ExitCodeOf(other.status);
  const auto rank = [](int code) { return code == 1 ? 5 : code; };
  if (code != code_of_other) return rank(code) < rank(code_of_other);
  // One that is no number is larger than all.
  const double error = one.certificate.largest_error();
  return error < other.certificate.largest_error() ||
         (std::isnan(other.certificate.largest_error()) && !std::isnan(error));
}

}  // namespace sdpa
