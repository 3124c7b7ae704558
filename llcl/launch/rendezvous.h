// A job without a launcher: its ranks meet at an address of rank 0 and prove to each
// other that they know its secret (launch/authentication.h).
//
//   LLCL_RENDEZVOUS=10.0.0.1:4096 LLCL_SECRET=<32 hexadecimal digits>
//   LLCL_RANK=0 LLCL_SIZE=2 program          and the same with LLCL_RANK=1
//
// LLCL_RENDEZVOUS_TIMEOUT is how many seconds ranks wait for each other at most, 30 where it is not
// set. Where LLCL_RANK is not set, the rank is JOB_COMPLETION_INDEX, which Kubernetes sets.
//
// The host may be a name that nobody knows yet, as that of a pod which is not ready: a rank asks
// again until its time is over. Rank 0 listens at the address alone. Where a name leads to no
// address of its machine, as a name that is not known yet and that of a service do not, it listens
// at all addresses of the machine: who comes must prove that it knows the secret there, too.
// A rank that is started again, while the job is running or over, finds nobody who listens, and
// disturbs nobody.
//
// All bytes go by way of rank 0. Rank 0 notices the end of a rank's process at once,
// that of its machine within some ten seconds; the Allgather of each other rank then
// reports it. No launcher ends the processes of such a job: Abort ends this one, and
// lets the Allgather of the others fail.
//
// Threads: one at a time. Errors: see Meet; of Allgather Unavailable with the number of
// the rank that is gone, Aborted where a rank has called Abort.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "llcl/launch/rendezvous_job.h"

namespace llcl {

// Returns when this rank is connected; on rank 0, when all are. Errors: InvalidArgument
// for wrong options, or where rank 0 has another job size; PermissionDenied where the
// listener at the address does not know the secret; AlreadyExists where this rank is
// connected already; Unavailable where this rank, or on rank 0 all ranks, could not
// connect before the deadline.
absl::StatusOr<std::unique_ptr<Rendezvous>> Meet(const RendezvousOptions& options);

}  // namespace llcl
