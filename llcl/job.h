// The way to the other ranks of a job that its user, or its place, asks for.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "llcl/conduit.h"
#include "llcl/launch.h"

namespace llcl {

// What the environment asks for (launch.h), else shared memory where all ranks are on
// one machine, else libfabric. All ranks of `launch` call it. Errors: InvalidArgument
// for a conduit that does not exist; those of the conduit.
absl::StatusOr<std::unique_ptr<Conduit>> MakeConduit(Launch& launch);

}  // namespace llcl
