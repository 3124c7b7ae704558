// What a count of a grid's paths edge by edge comes to, by a formula. Pure.
#pragma once

#include <vector>

#include "apps/simpath/frontier/forecast.h"

namespace simpath {

// Of a square of so many cells, row by row: bounds, which the rows in the middle reach. After each
// vertex there are as many states as words of parentheses and one mark (array/words.h), of the
// frontier and of the frontier with an inner vertex; the first rows have fewer. Precondition:
// ForecastGrid's.
std::vector<LevelForecast> ForecastGridByFormula(int cells);

}  // namespace simpath
