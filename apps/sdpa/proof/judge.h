// The verdict on the end of a run, by one rule, from the problem and the point alone. Pure.
#pragma once

#include <string_view>

#include "apps/program/words.h"
#include "apps/sdpa/interior_point/quality.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/proof/infeasibility.h"

namespace sdpa {

enum class Status {
  kOptimal,               // all six DIMACS errors are within the tolerance
  kPrimalInfeasible,      // with a proof: InfeasibilityProof::IsProof
  kDualInfeasible,        // likewise
  kReducedAccuracy,       // all six are below kReducedAccuracy
  kPrimalInfeasibleUpTo,  // no solution is smaller than the proof says
  kDualInfeasibleUpTo,    // likewise
  kStalled,               // the method came no further
  kTooManyIterations,     // as many as were allowed
  kTimeLimit,
  kInterrupted  // the run was stopped
};

inline constexpr double kReducedAccuracy = 1e-4;

inline constexpr program::Words<Status> kStatuses = {
    {Status::kOptimal, "optimal"},
    {Status::kPrimalInfeasible, "primal infeasible"},
    {Status::kDualInfeasible, "dual infeasible"},
    {Status::kReducedAccuracy, "reduced accuracy"},
    {Status::kPrimalInfeasibleUpTo, "primal infeasible up to a size"},
    {Status::kDualInfeasibleUpTo, "dual infeasible up to a size"},
    {Status::kStalled, "stalled"},
    {Status::kTooManyIterations, "too many iterations"},
    {Status::kTimeLimit, "time limit"},
    {Status::kInterrupted, "interrupted"}};
constexpr std::string_view ToString(Status status) { return kStatuses.Print(status); }

// The program's: 0 verified, 3 of reduced accuracy, 4 stopped by a limit or a signal, 1 none of
// these.
constexpr int ExitCodeOf(Status status) {
  switch (status) {
    case Status::kOptimal:
    case Status::kPrimalInfeasible:
    case Status::kDualInfeasible:
      return 0;
    case Status::kReducedAccuracy:
    case Status::kPrimalInfeasibleUpTo:
    case Status::kDualInfeasibleUpTo:
      return 3;
    case Status::kTooManyIterations:
    case Status::kTimeLimit:
    case Status::kInterrupted:
      return 4;
    case Status::kStalled:
      return 1;
  }
  return 1;
}

constexpr bool IsPrimalInfeasible(Status status) {
  return status == Status::kPrimalInfeasible || status == Status::kPrimalInfeasibleUpTo;
}
constexpr bool IsInfeasible(Status status) {
  return IsPrimalInfeasible(status) || status == Status::kDualInfeasible ||
         status == Status::kDualInfeasibleUpTo;
}

// A value.
struct Judgement {
  Status status = Status::kStalled;
  Certificate certificate;   // of the point, whatever the status
  InfeasibilityProof proof;  // where IsInfeasible
};

// Of a run that ended at `claim` with `phase`.
Judgement Judge(const Problem& problem, const SolutionValues& claim, Phase phase, double tolerance);

// Says `one` more than `other` of the same problem?
bool IsBetter(const Judgement& one, const Judgement& other);

}  // namespace sdpa
