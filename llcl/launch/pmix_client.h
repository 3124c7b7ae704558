// A rank's side of PMIx: the launch of Open MPI's mpirun, PRRTE and srun --mpi=pmix.
//
// libpmix.so.2 is loaded at run time, so that jobs that are started otherwise do not
// need it.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "llcl/launch/abstract_launch.h"

namespace llcl {

// PMIx itself reads from the environment which rank this process is. The library stays
// loaded, and may be in use by MPI in the same process. Errors: Unavailable where
// libpmix.so.2 cannot be opened, or the launcher does not answer.
absl::StatusOr<std::unique_ptr<Launch>> ConnectPmix();

}  // namespace llcl
