// A kernel as the C interface describes it (ompc.h), as one of the runtime's.
//
// Threads: any.
#pragma once

#include "absl/status/statusor.h"
#include "taskrt/kernel.h"
#include "taskrt/ompc.h"

namespace taskrt {

// All but its function for the host. Reads the files that it names. Errors: NotFound,
// InvalidArgument: a sentence.
absl::StatusOr<Kernel> KernelOf(const ompc_kernel& kernel);

}  // namespace taskrt
