// Ticks of an axis, and where a value lies on it. Pure.
#pragma once

#include <string>
#include <vector>

#include "apps/program/plot.h"

namespace program {

// A value. Maps [low, high] to [0, 1].
struct Axis {
  Scale scale = Scale::kLinear;
  double low = 0;
  double high = 1;
  std::vector<double> ticks;

  double Fraction(double value) const;
};

// From zero to a round number that is at least `highest`, with about five ticks
// at multiples of 1, 2 or 5 times a power of ten.
Axis AxisFromZero(double highest);

// From `lowest` to `highest`. kLog2 has a tick at each power of two between.
Axis AxisBetween(double lowest, double highest, Scale scale);

// An axis from the lowest to the highest of these values. It has a tick at each value where there
// are few, so that counts (threads, nodes) have no fraction of one; else those of AxisBetween.
Axis AxisOver(std::vector<double> values, Scale scale);

// "40", "0.25", "1.5e9": as short as ticks stay distinct.
std::string TickLabel(double value);

}  // namespace program
