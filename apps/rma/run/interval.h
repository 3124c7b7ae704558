// The median of repetitions and the interval in which the median of all possible ones lies with a
// confidence of at least 95 %, whatever their distribution: between two of the values, chosen by
// the binomial distribution. Pure.
#pragma once

#include <optional>
#include <vector>

namespace rma {

// A value.
struct Confidence {
  double low = 0;
  double high = 0;
};

// A value.
struct Interval {
  double median = 0;
  std::optional<Confidence> confidence = std::nullopt;  // None: fewer than six values say nothing.
};

// Precondition: there is a value.
Interval IntervalOf(std::vector<double> values);

}  // namespace rma
