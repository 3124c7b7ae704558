// Checks of options: each field in its range, else InvalidArgument with the field's
// name, its value, and what it may be.
//
// Threads: any.
#pragma once

#include "absl/status/status.h"

namespace llcl {

struct EndpointOptions;
struct SimOptions;

absl::Status Check(const EndpointOptions& options);
absl::Status Check(const SimOptions& options);

// Ends the program with the error, if there is one: for constructors, which return nothing.
void CheckOrDie(const absl::Status& status);

}  // namespace llcl
