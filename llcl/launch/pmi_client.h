// A rank's side of PMI-1: the launch of llclrun, MPICH's mpiexec and Slurm.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "llcl/launch/abstract_launch.h"

namespace llcl {

// `fd`: of PMI_FD, a socket to the launcher; closed at the end, unless MPI is in the process
// (mpi_beside.h). While a rank joins, no other thread calls MPI, which asks on the same socket.
// Slurm's pmi2 does not answer the second `init` of a process, MPI's or ours: mpi.h sends none.
// Errors: Unavailable where it does not answer as PMI-1 does, or MPI_Finalize was called.
absl::StatusOr<std::unique_ptr<Launch>> ConnectPmi(int fd, Rank rank, int size);

}  // namespace llcl
