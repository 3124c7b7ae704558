// Counts paths edge by edge, by one thread.
//
// Source: as plan.h.
#pragma once

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/count_options.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/problem/count.h"

namespace simpath {

// Errors: ResourceExhausted naming the step and its width where the levels would need more than the
// limit, before they do; Unimplemented for a frontier of more slots than mates have room for.
absl::StatusOr<Count> CountSequentially(const Plan& plan, const CountOptions& options = {});

}  // namespace simpath
