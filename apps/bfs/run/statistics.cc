#include "apps/bfs/run/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace bfs {

Statistics StatisticsOf(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  const auto between = [&](std::size_t a, std::size_t b) { return (sorted[a] + sorted[b]) / 2; };
  Statistics statistics = {
      .min = sorted.front(),
      .first_quartile = between((n - 1) / 4, n / 4),
      .median = between((n - 1) / 2, n / 2),
      .third_quartile = between(n - 1 - (n - 1) / 4, n - 1 - n / 4),
      .max = sorted.back(),
      .mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(n),
  };
  if (n > 1) {
    double squares = 0;
    for (const double value : sorted) squares += std::pow(value - statistics.mean, 2);
    statistics.stddev = std::sqrt(squares / static_cast<double>(n - 1));
  }
  return statistics;
}

RateStatistics TepsOf(std::span<const double> tuples, std::span<const double> seconds) {
  std::vector<double> seconds_a_tuple;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    seconds_a_tuple.push_back(tuples[i] > 0 ? seconds[i] / tuples[i]
                                            : std::numeric_limits<double>::infinity());
  }
  const Statistics inverse = StatisticsOf(seconds_a_tuple);
  RateStatistics statistics = {.min = 1 / inverse.max,
                               .first_quartile = 1 / inverse.third_quartile,
                               .median = 1 / inverse.median,
                               .third_quartile = 1 / inverse.first_quartile,
                               .max = 1 / inverse.min,
                               .harmonic_mean = 1 / inverse.mean};
  if (tuples.size() > 1 && std::isfinite(inverse.mean)) {
    statistics.harmonic_stddev =
        inverse.stddev /
        (inverse.mean * inverse.mean * std::sqrt(static_cast<double>(tuples.size() - 1)));
  }
  return statistics;
}

}  // namespace bfs
