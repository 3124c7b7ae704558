// Forecasts the states of a count edge by edge. The first stages are made, up to a number of
// states; a fit of their logarithms to order/estimate.h forecasts the later stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/frontier/count_options.h"
#include "apps/simpath/frontier/forecast.h"
#include "apps/simpath/problem/problem.h"

namespace simpath {

// A value.
struct CountForecast {
  std::vector<LevelForecast> levels;
  std::size_t exact = 0;  // number of first levels with exact states
  // The standard error of a forecast level, as a factor; 1 if all levels are exact.
  double factor = 1;
};

// Edges are decided in the problem's order. Makes about `most_states` at most. Errors: as
// ForecastStates.
absl::StatusOr<CountForecast> ForecastCount(const Problem& problem, std::uint64_t most_states,
                                            const CountOptions& options = {});

}  // namespace simpath
