// The texts and exit codes by which callers of sdpa and csdp know how a run ended.
//
// csdp's primal problem is the dual one here: problem/problem.h.
#pragma once

#include <string>

#include "apps/sdpa/files/solution_formats.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/solve/solve.h"

namespace sdpa {

// Where the status is none of sdpa's, the phase says which of the errors are within the tolerance.
SdpaPhase PhaseOf(const Judgement& judgement, double tolerance);
SdpaResult ResultOf(const Outcome& outcome, double tolerance);

// "Iter:  1 Ap: 1.00e+00 Pobj: ..." and the lines after the last of these.
std::string CsdpLine(const Iteration& iteration);
std::string CsdpReport(const Outcome& outcome);
// csdp's; of its failures 4: too many iterations, 7: no progress, 10: ended by a signal.
int CsdpExitCode(Status status);

// "DIMACS_error_1 = ..." and the others, as sdpa -dimacs prints them.
std::string SdpaDimacsLines(const Certificate& certificate);

}  // namespace sdpa
