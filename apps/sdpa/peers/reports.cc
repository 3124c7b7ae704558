#include "apps/sdpa/peers/reports.h"

#include <cstddef>

#include "absl/strings/str_format.h"

namespace sdpa {
SdpaPhase PhaseOf(const Judgement& judgement, double tolerance) {
  switch (judgement.status) {
    case Status::kOptimal:
      return SdpaPhase::kOptimal;
    case Status::kPrimalInfeasible:
    case Status::kPrimalInfeasibleUpTo:
      return SdpaPhase::kDualUnbounded;
    case Status::kDualInfeasible:
    case Status::kDualInfeasibleUpTo:
      return SdpaPhase::kPrimalUnbounded;
    default:
      break;
  }
  // SDPA's feasible: X of the primal problem, Y of the dual one.
  const auto& errors = judgement.certificate.errors;
  const bool is_primal = errors[2] <= tolerance && errors[3] <= tolerance;
  const bool is_dual = errors[0] <= tolerance && errors[1] <= tolerance;
  if (is_primal && is_dual) return SdpaPhase::kBothFeasible;
  if (is_primal) return SdpaPhase::kPrimalFeasible;
  return is_dual ? SdpaPhase::kDualFeasible : SdpaPhase::kNoInformation;
}

SdpaResult ResultOf(const Outcome& outcome, double tolerance) {
  const Certificate& certificate = outcome.judgement.certificate;
  return {.phase = PhaseOf(outcome.judgement, tolerance),
          .iterations = static_cast<int>(outcome.iterations.size()),
          .mu = certificate.mu,
          .primal = certificate.primal,
          .dual = certificate.dual,
          .primal_error = certificate.primal_residual,
          .dual_error = certificate.dual_residual,
          .seconds = outcome.seconds};
}

std::string CsdpLine(const Iteration& iteration) {
  const Quality& quality = iteration.quality;
  return absl::StrFormat("Iter: %2d Ap: %.2e Pobj: % .7e Ad: %.2e Dobj: % .7e \n", iteration.number,
                         iteration.dual_step, quality.dual, iteration.primal_step, quality.primal);
}

int CsdpExitCode(Status status) {
  switch (status) {
    case Status::kOptimal:
      return 0;
    case Status::kDualInfeasible:
    case Status::kDualInfeasibleUpTo:
      return 1;
    case Status::kPrimalInfeasible:
    case Status::kPrimalInfeasibleUpTo:
      return 2;
    case Status::kReducedAccuracy:
      return 3;
    case Status::kTooManyIterations:
      return 4;
    case Status::kTimeLimit:
    case Status::kInterrupted:
      return 10;
    case Status::kStalled:
      return 7;
  }
  return 7;
}

std::string CsdpReport(const Outcome& outcome) {
  const auto& [status, certificate, proof] = outcome.judgement;
  const int code = CsdpExitCode(status);
  if (code == 1) {
    return absl::StrFormat(
        "Success: SDP is primal infeasible\n"
        "Certificate of primal infeasibility: a'*y=%.5e, ||A'(y)-Z||=%.5e\n",
        -1.0, proof.shift);
  }
  if (code == 2) {
    return absl::StrFormat(
        "Success: SDP is dual infeasible\n"
        "Certificate of dual infeasibility: tr(CX)=%.5e, ||A(X)||=%.5e\n",
        1.0, proof.residual);
  }
  std::string text = code == 0   ? "Success: SDP solved\n"
                     : code == 3 ? "Partial Success: SDP solved with reduced accuracy\n"
                                 : absl::StrFormat("Failure: return code is %d \n", code);
  const auto& errors = certificate.errors;
  absl::StrAppendFormat(&text,
                        "Primal objective value: %.7e \nDual objective value: %.7e \n"
                        "Relative primal infeasibility: %.2e \n"
                        "Relative dual infeasibility: %.2e \n"
                        "Real Relative Gap: %.2e \nXZ Relative Gap: %.2e \n"
                        "DIMACS error measures: %.2e %.2e %.2e %.2e %.2e %.2e\n",
                        certificate.dual, certificate.primal, errors[0], errors[2], errors[4],
                        errors[5], errors[0], errors[1], errors[2], errors[3], errors[4],
                        errors[5]);
  return text;
}

std::string SdpaDimacsLines(const Certificate& certificate) {
  std::string text = "\n* DIMACS_ERRORS * \n";
  for (std::size_t i = 0; i < certificate.errors.size(); ++i) {
    absl::StrAppendFormat(&text, "err%d = %+.16e\n", i + 1, certificate.errors[i]);
  }
  return text + "\n";
}

}  // namespace sdpa
