// A rank's side of PMIx: the launch of Open MPI's mpirun, PRRTE and srun --mpi=pmix.
//
// libpmix.so.2 is found at run time, so that nobody needs it who starts his jobs
// otherwise.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "llcl/launch/launch.h"

namespace llcl {

// PMIx itself reads from the environment who this process is. It stays loaded, and
// may be in use by MPI in the same process. Errors: Unavailable where libpmix.so.2
// cannot be opened, or the launcher does not answer.
absl::StatusOr<std::unique_ptr<Launch>> ConnectPmix();

}  // namespace llcl
