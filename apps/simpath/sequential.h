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
  std::uint64_t bytes = 0;
};

// A value.
struct CountOptions {
  std::uint64_t memory_limit = ~std::uint64_t{0};  // bytes of the two levels
  std::function<void(const Done&)> progress;
};

// A value.
struct Counted {
  Count paths;
  std::size_t most_states = 0;  // after any step
  std::uint64_t states = 0;     // after all steps together
  std::uint64_t most_bytes = 0;
};

// Errors: ResourceExhausted naming the step and its width where the levels need more than the
// limit; Unimplemented for a frontier of more slots than mates have room for.
absl::StatusOr<Counted> CountSequentially(const Plan& plan, const CountOptions& options = {});

}  // namespace simpath
