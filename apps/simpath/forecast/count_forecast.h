// What a count edge by edge comes to: the states of the first stages, as long as there are not too
// many, and from these, and from the estimate that orders are compared by, those of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/count_options.h"
#include "apps/simpath/frontier/forecast.h"
#include "apps/simpath/problem.h"

namespace simpath {

// A value.
struct CountForecast {
  std::vector<LevelForecast> levels;
  std::size_t exact = 0;  // the first so many levels
  // The standard error of the states of the other levels, as a factor: 1 where there are none.
  double factor = 1;
};

// Of a problem whose edges are decided in their order. Makes at most about `most_states`.
// Errors: ForecastStates'.
absl::StatusOr<CountForecast> ForecastCount(const Problem& problem, std::uint64_t most_states,
                                            const CountOptions& options = {});

}  // namespace simpath
