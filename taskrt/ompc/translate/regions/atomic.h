// atomic: a variable of a machine word by the processor's operations, any other in a critical
// section of its own.
//
// Pure. Threads: one. Source: OpenMP 5.1, section 2.19.7.
#pragma once

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// An expression that is added to a variable is computed before the atomic operation, since it may
// wait or contain atomics itself.
absl::StatusOr<AtomicRegion> AtomicOf(Resolution& all, const ParsedConstruct& construct);

}  // namespace taskrt
