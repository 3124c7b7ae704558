// How many states a count edge by edge comes to, and how large its counts are, from a pass over the
// states that keeps only the 64 highest bits of all counts: about as long as the count itself by
// one thread, in less memory.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/count_options.h"
#include "apps/simpath/frontier/level_forecast.h"
#include "apps/simpath/frontier/plan.h"

namespace simpath {

// Stops after about `most_states`: later levels are missing then. Errors: as CountSequentially.
absl::StatusOr<std::vector<LevelForecast>> ForecastStates(
    const Plan& plan, const CountOptions& options = {},
    std::uint64_t most_states = ~std::uint64_t{0});

}  // namespace simpath
