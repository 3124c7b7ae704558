#include "apps/simpath/forecast/grid_forecast.h"

#include <cstdint>

#include "apps/simpath/array/grid_size.h"

namespace simpath {

std::vector<LevelForecast> ForecastGridByFormula(int cells) {
  const GridForecast grid = ForecastGrid(cells);
  const int side = cells + 1;
  std::vector<LevelForecast> levels;
  // The last vertex leaves with the vertex before.
  for (int vertex = 0; vertex + 1 < side * side; ++vertex) {
    LevelForecast level = {.step = levels.size(), .width = side + 1, .states = grid.words};
    level.count_bits = static_cast<int>(std::int64_t{grid.bits} * (vertex + 1) / (side * side)) + 1;
    // A word holds the mates of 13 vertices. A state has two ways at most.
    const std::uint64_t words = (side + 1 <= 13 ? 1 : 2) + (level.count_bits + 63) / 64;
    level.bytes = 3 * words * sizeof(std::uint64_t) * level.states;
    levels.push_back(level);
  }
  return levels;
}

}  // namespace simpath
