// MPI in the same process: MPI and llcl share one connection to the launcher. The rule here says
// who ends the connection.
//
// The connection (PMI_FD, or PMIx) belongs to the process, not to a library. Two libraries may
// begin the connection, but nobody begins again after the end: Hydra hangs up at the first
// `finalize`, and PMIx cannot begin after the last user's end. A `finalize` by llcl before MPI_Init
// would make MPI_Init abort. By PMI-1 a `finalize` by llcl before MPI_Finalize would make
// MPI_Finalize abort. A launcher kills the job where the connection closes without a `finalize`. So
// with MPI in the process, llcl finalizes PMI-1 at the end of the process, and only where MPI has
// not: because MPI_Init was never called, or used another connection. PMIx is left until then only
// where MPI may still begin.
//
// llcl is not linked with MPI. The symbols of MPI are looked up at run time: an MPI loaded later,
// or with hidden symbols (dlopen with RTLD_LOCAL), is not found.
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

// Does a launch by PMI-1 leave the connection until the end of the process, with MPI in this state?
constexpr bool LeavesConnection(MpiBeside mpi) { return mpi != MpiBeside::kAbsent; }

// Does llcl finalize at the end of the process, with MPI in this state? An end between MPI_Init and
// MPI_Finalize is a failure, and the launcher is to see the failure.
constexpr bool EndsConnectionAtExit(MpiBeside mpi) { return mpi != MpiBeside::kRuns; }

// Unavailable, for a launch after MPI_Finalize.
absl::Status EndedByMpi();

// The number of launches before, part of the launch's keys: on a connection without an end, the
// keys of a first job keep their values during a second job. All ranks join equally often.
int NumberOfLaunch();

// Calls `end` at the end of the process, if EndsConnectionAtExit then. Not in child processes.
void EndAtExit(std::function<void()> end);

}  // namespace llcl
