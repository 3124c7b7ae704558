// The families of generate.h, each made of its arguments. Pure.
#pragma once

#include "absl/status/statusor.h"
#include "apps/sdpa/generate/arguments.h"
#include "apps/sdpa/generate/generated.h"

namespace sdpa {

// Errors are those of the arguments; the name is the caller's to give.
absl::StatusOr<Generated> ThetaFamily(Arguments& arguments);
absl::StatusOr<Generated> BorderedThetaFamily(Arguments& arguments);
absl::StatusOr<Generated> MaxCutFamily(Arguments& arguments);
absl::StatusOr<Generated> BisectionFamily(Arguments& arguments);
absl::StatusOr<Generated> ControlFamily(Arguments& arguments);
absl::StatusOr<Generated> TrussFamily(Arguments& arguments);
absl::StatusOr<Generated> MaterialFamily(Arguments& arguments);
absl::StatusOr<Generated> QapFamily(Arguments& arguments);
absl::StatusOr<Generated> RandomFamily(Arguments& arguments);
absl::StatusOr<Generated> BlocksFamily(Arguments& arguments);
absl::StatusOr<Generated> InfeasibleFamily(Arguments& arguments);

}  // namespace sdpa
