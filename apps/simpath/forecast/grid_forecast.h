// Forecasts the count of a grid's paths edge by edge by a formula. Pure.
#pragma once

#include <vector>

#include "apps/simpath/frontier/level_forecast.h"

namespace simpath {

// For a square of `cells` x `cells`, row by row. After a vertex the states are the words of
// array/words.h, for the frontier and for the frontier with an inner vertex. The number of words is
// exact for middle rows, and an upper bound for the first rows. Precondition: as ForecastGrid.
std::vector<LevelForecast> ForecastGridByFormula(int cells);

}  // namespace simpath
