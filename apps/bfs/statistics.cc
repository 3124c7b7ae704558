#include "apps/bfs/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  std::vector<double> rates, reciprocals;
  for (std::size_t i = 0; i < tuples.size(); ++i) rates.push_back(tuples[i] / seconds[i]);
  RateStatistics statistics = {.rates = StatisticsOf(rates)};
  if (std::find(tuples.begin(), tuples.end(), 0) != tuples.end()) return statistics;
  for (std::size_t i = 0; i < tuples.size(); ++i) reciprocals.push_back(seconds[i] / tuples[i]);
  const Statistics inverse = StatisticsOf(reciprocals);
  statistics.harmonic_mean = 1 / inverse.mean;
  if (rates.size() > 1) {
    statistics.harmonic_stddev =
        inverse.stddev /
        (inverse.mean * inverse.mean * std::sqrt(static_cast<double>(rates.size() - 1)));
  }
  return statistics;
}

}  // namespace bfs
