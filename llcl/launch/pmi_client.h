// A rank's side of PMI-1: the launch of llclrun, MPICH's mpiexec and Slurm.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"

namespace llcl {

// `fd`: of PMI_FD, a socket to the launcher; closed at the end. Errors: Unavailable
// where it does not answer as PMI-1 does.
absl::StatusOr<std::unique_ptr<Launch>> ConnectPmi(int fd, Rank rank, int size);

}  // namespace llcl
