// Whether options can be had: each field in its range, else InvalidArgument with the field's
// name, its value, and what it may be.
//
// Threads: any.
#pragma once

#include "absl/status/status.h"
#include "dsm/language.h"

namespace dsm {

struct SpaceOptions;
absl::Status Check(const SpaceOptions& options);

namespace sim {

struct Machine;
struct Shape;
absl::Status Check(const Machine& machine);
absl::Status Check(const Shape& shape);

}  // namespace sim
}  // namespace dsm
