// Counts paths edge by edge, by one thread.
//
// Source: as plan.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "apps/simpath/count.h"
#include "apps/simpath/plan.h"

namespace simpath {

// A value: a step that is done.
struct Done {
  std::size_t step = 0;
  std::size_t states = 0;  // distinct mates after it
};

// A value.
struct CountOptions {
  std::uint64_t memory_limit = ~std::uint64_t{0};  // bytes of the two levels
  std::function<void(const Done&)> progress;
};

// Errors: ResourceExhausted naming the step and its width where the levels would need more than the
// limit, before they do; Unimplemented for a frontier of more slots than mates have room for.
absl::StatusOr<Count> CountSequentially(const Plan& plan, const CountOptions& options = {});

}  // namespace simpath
