#include "apps/rma/run/interval.h"

#include <algorithm>
#include <cmath>

#include "apps/program/spread.h"

namespace rma {

Interval IntervalOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Interval interval{.median = program::Median(values)};
  // The chance that the median of all lies below the value of this rank is that of at most `rank`
  // heads in as many tosses as there are values; the same above.
  constexpr double kMostBelow = 0.025;
  const auto count = static_cast<double>(values.size());
  double heads = std::pow(0.5, count), below = 0;
  for (std::size_t rank = 0; 2 * rank < values.size(); ++rank) {
    below += heads;
    if (below > kMostBelow) break;
    interval.confidence = {.low = values[rank], .high = values[values.size() - 1 - rank]};
    heads *= (count - static_cast<double>(rank)) / static_cast<double>(rank + 1);
  }
  return interval;
}

}  // namespace rma
