#include "apps/simpath/array/grid_size.h"

#include <algorithm>

#include "apps/simpath/array/bound.h"
#include "apps/simpath/array/words.h"

namespace simpath {

int PrimesFor(int bits, Check check) {
  return std::max(0, (bits - 64 + 61) / 62) + (check == Check::kOn ? 1 : 0);
}

GridForecast ForecastGrid(int cells) {
  const Words words(cells + 1);
  GridForecast forecast;
  forecast.words = words.CountAll(cells + 1) + words.CountAll(cells);
  forecast.bytes = forecast.words * sizeof(std::uint64_t);
  forecast.bits = PathBits(cells, cells);
  forecast.moduli = 1 + PrimesFor(forecast.bits, Check::kOn);
  return forecast;
}

}  // namespace simpath
