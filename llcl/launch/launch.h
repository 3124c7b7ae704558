// How a process learns which rank of which job it is, and sends the others what they
// need to reach it, before there is a network.
//
// Threads: one at a time. Errors: Unavailable, with the request, where the launcher is
// gone or its answer is not understood.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/launch/abstract_launch.h"
#include "llcl/region.h"

namespace llcl {

// Finds the launcher of this process, by the first of these that the environment has:
//
//   LLCL_RENDEZVOUS             the user, by hand: see launch/rendezvous.h for the others
//   PMI_FD                      llclrun, MPICH's mpiexec, srun --mpi=pmi2 (PMI-1)
//   PMIX_NAMESPACE, PMIX_RANK   Open MPI's mpirun, srun --mpi=pmix (PMIx)
//
// or no launcher: then it is a job of one rank. A process that is one of several by another
// variable (launch/launcher.h), as those of a plain srun, is refused: Unavailable, with the
// variable and how to start the job. LLCL_LAUNCH=none makes each process a job of one rank.
//
// Where a rank is killed, llclrun, mpiexec, mpirun and srun --mpi=pmix end the others; srun
// --mpi=pmi2 does so with --kill-on-bad-exit only.
absl::StatusOr<std::unique_ptr<Launch>> FindLaunch();

// The user's choice of a conduit: LLCL_CONDUIT (smp, tcp, ofi or mixed), LLCL_PROVIDER
// (libfabric's), LLCL_ADDRESS (of this machine's addresses, that by which others reach it, or the
// network of those, as 10.0.0.0/24: no other is published and listened at; launch/addresses.h says
// what is chosen without it), LLCL_DEVICES (how many of its network cards are used),
// LLCL_RANKS_PER_HOST (ranks of a machine share memory in groups of so many, in their order, and
// reach the others by the network: to try a program of several hosts on one). Empty: not chosen. A
// value.
struct ConduitChoice {
  std::string conduit;
  std::string provider;
  std::string address;
  std::string devices;
  std::string own_memory;  // smp/conduit.h: "messages", or nothing
  std::string ranks_per_host;
};
ConduitChoice FindConduitChoice();

// Does the user want each rank's counts (EndpointOptions::prints_counts)? LLCL_STATS, any value but
// 0 and none.
bool AsksForCounts();

// A job of one rank.
std::unique_ptr<Launch> MakeSingleton();

// For a user who has another way to exchange bytes; JoinBy makes a job of it. (For MPI there is
// mpi.h.) All ranks call the function equally often, on the thread that calls Allgather; it must
// return bytes of each rank, else Allgather is InvalidArgument. Abort ends this process only.
using AllgatherFunction =
    std::function<absl::StatusOr<std::vector<std::string>>(std::string_view mine)>;
std::unique_ptr<Launch> MakeUserLaunch(Rank rank, int size, AllgatherFunction allgather);

}  // namespace llcl
