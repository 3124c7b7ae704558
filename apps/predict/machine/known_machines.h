// The machines that [ULIBC14] measured. Their numbers are those of data sheets, but for what is
// marked as fitted.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "apps/predict/machine/machine.h"

namespace predict {

// By name. Errors: InvalidArgument with the names.
absl::StatusOr<Machine> KnownMachine(std::string_view name);

}  // namespace predict
