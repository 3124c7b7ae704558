// What Graph500 prints of the searches of all keys. Pure.
#pragma once

#include <span>

namespace bfs {

// A value. Quartiles follow the reference code: a quartile between two values is their mean. The
// deviations are of samples (n - 1); 0 of one value.
struct Statistics {
  double min = 0;
  double first_quartile = 0;
  double median = 0;
  double third_quartile = 0;
  double max = 0;
  double mean = 0;
  double stddev = 0;
};

// Of times, or of tuples. Precondition: there is a value.
Statistics StatisticsOf(std::span<const double> values);

// A value. The mean of rates is the harmonic one, with the standard error that the specification
// names after it.
struct RateStatistics {
  double min = 0;
  double first_quartile = 0;
  double median = 0;
  double third_quartile = 0;
  double max = 0;
  double harmonic_mean = 0;
  double harmonic_stddev = 0;
};

// TEPS: tuples[i] / seconds[i]. Version 3 of the reference code computes quantiles of seconds a
// tuple, and prints reciprocals: so do we. A search without tuples has the rate 0, and then the
// harmonic mean, its limit, is 0 too, with a deviation of 0. Precondition: as many of both, at
// least one, seconds above 0.
RateStatistics TepsOf(std::span<const double> tuples, std::span<const double> seconds);

}  // namespace bfs
