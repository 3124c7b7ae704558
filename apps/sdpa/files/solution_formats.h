// The file formats of solutions and of points to begin with: SDPA's result file, SDPA's initial
// points, sparse (.ini-s) and dense (.ini), and CSDP's solutions, which are of the sparse form.
// Pure.
//
//   sparse:  x_1 ... x_m
//            matrix block row column value      1 is X, 2 is Y; numbers from 1 on
//   dense:   x_1 ... x_m, all blocks of X, then of Y: whole matrices row by row, or diagonals
//   result:  lines "phase.value = ...", "objValPrimal = ..." and others, then the dense form with
//            "xVec =", "xMat =" and "yMat =" before its parts
//
// CSDP's primal problem is SDPA's dual one: its y, Z and X are x, X and Y here, of the same signs.
//
// Source: K. Fujisawa et al., SDPA User's Manual 7.1.0, 2008, sections 5 and 6; B. Borchers, CSDP
// 6.2.0 User's Guide, 2017.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/sdpa/files/formats.h"
#include "apps/sdpa/problem/problem.h"
#include "apps/sdpa/problem/solution.h"

namespace sdpa {

// SDPA's words for how a run ended: kPrimalFeasible is pFEAS, kPrimalUnbounded pUNBD (the dual
// problem is infeasible, as far as the primal one is not), and so on.
enum class SdpaPhase {
  kNoInformation,
  kPrimalFeasible,
  kDualFeasible,
  kBothFeasible,
  kBothInfeasible,
  kPrimalFeasibleDualInfeasible,
  kPrimalInfeasibleDualFeasible,
  kOptimal,
  kPrimalUnbounded,
  kDualUnbounded,
};

// A value: what SDPA's result file says before the solution.
struct SdpaResult {
  SdpaPhase phase = SdpaPhase::kNoInformation;
  int iterations = 0;
  double mu = 0;                            // X.Y over the rows
  double primal = 0, dual = 0;              // objectives
  double primal_error = 0, dual_error = 0;  // |F_1 x_1 + ... - F_0 - X| and |F.Y - c|
  double seconds = 0;
};

// The lines of a result before xVec, which `sdpa` prints, too.
std::string SdpaHeadText(const SdpaResult& result);

// The result file that `sdpa` writes, without its table of iterations; numbers are those of the
// solution to the last bit, of which `sdpa` itself shows 4 digits.
std::string SdpaResultText(const SdpaResult& result, const Problem& problem,
                           const SolutionValues& solution);

// The solution that `csdp` writes, and from which it can begin. Of pairs of doubles both texts have
// 32 digits.
std::string CsdpSolutionText(const Problem& problem, const SolutionValues& solution);

// Dense are files named .ini, and results: files with a line that begins with xVec.
Format FormatOfSolution(std::string_view file, std::string_view bytes);

// Elements that a sparse file does not give are 0. Nothing says that X and Y are positive definite.
// InvalidArgument is one sentence, "file:line: found this, expected that".
absl::StatusOr<SolutionValues> ParseSolution(Format format, const Problem& problem,
                                             const std::string& file, std::string_view bytes);

}  // namespace sdpa
