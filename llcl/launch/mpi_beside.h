// MPI in the same process: MPI and llcl then share one connection to the launcher, and the rule
// here says which of the two ends it.
//
// The connection (PMI_FD, or PMIx's) belongs to the process, not to a library in it. It may be
// begun twice, but not again after its end: Hydra hangs up at the first `finalize`, and PMIx, which
// counts its users, cannot begin after the last of them. So a job of llcl's that ends before MPI
// begins would make MPI_Init abort, and one that ends before MPI ends would, by PMI-1, make
// MPI_Finalize abort. A launcher that sees the connection closed without a `finalize` kills the
// job. So where MPI is in the process, llcl ends its part by PMI-1 when the process ends, and only
// where MPI has not done so, as MPI_Init was never called or MPI used another connection. By PMIx it
// leaves its part until then only where MPI may still begin.
//
// llcl is not linked with MPI. It looks for MPI's symbols when the program runs, so it does not see
// an MPI that is loaded later, nor one whose symbols are hidden (dlopen with RTLD_LOCAL).
//
// Threads: any.
#pragma once

#include <functional>

#include "absl/status/status.h"

namespace llcl {

enum class MpiBeside {
  kAbsent,    // no MPI library is loaded
  kNotBegun,  // loaded, and MPI_Init may be called still
  kRuns,      // between MPI_Init and MPI_Finalize
  kEnded,     // after MPI_Finalize
};

// Of this process, now.
MpiBeside FindMpi();

// Does a launch by PMI-1 that ends while MPI is in this state leave its part in the connection until
// the process ends?
constexpr bool LeavesConnection(MpiBeside mpi) { return mpi != MpiBeside::kAbsent; }

// Does a process that ends while MPI is in this state say so to the launcher? One that ends between
// MPI_Init and MPI_Finalize has failed, and the launcher is to see that.
constexpr bool EndsConnectionAtExit(MpiBeside mpi) { return mpi != MpiBeside::kRuns; }

// Unavailable, for a launch that MPI has ended.
absl::Status EndedByMpi();

// How many launches this process has begun before. Part of their keys: a process that does not end
// its connection may join twice, and a key of the first job has its value still. All ranks join
// equally often.
int NumberOfLaunch();

// Calls `end` when the process ends, if it ends its connection then. Not in its children.
void EndAtExit(std::function<void()> end);

}  // namespace llcl
