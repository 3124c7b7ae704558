#include "apps/program/plot_axis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace program {
namespace {

// The step of about `wanted` steps up to `length`.
double RoundStep(double length, int wanted) {
  const double rough = length / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> TicksBetween(double low, double high, double step) {
  std::vector<double> ticks;
  const double slack = step * 1e-9;
  // Counted, not summed up: 0.1 * 3 reads better than 0.30000000000000004.
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) {
    ticks.push_back(i * step + 0.0);  // + 0: a tick at -0 would be labeled so
  }
  return ticks;
}

}  // namespace

double Axis::Fraction(double value) const {
  if (high == low) return 0.5;
  if (scale == Scale::kLog2) return std::log2(value / low) / std::log2(high / low);
  return (value - low) / (high - low);
}

Axis AxisFromZero(double highest) {
  constexpr int kTicks = 5;
  Axis axis;
  if (highest <= 0) highest = 1;
  const double step = RoundStep(highest, kTicks);
  axis.high = step * std::ceil(highest / step - 1e-9);
  axis.ticks = TicksBetween(0, axis.high, step);
  return axis;
}

Axis AxisBetween(double lowest, double highest, Scale scale) {
  constexpr int kTicks = 6;
  Axis axis{.scale = scale, .low = lowest, .high = highest, .ticks = {}};
  if (lowest == highest) {
    axis.ticks = {lowest};
  } else if (scale == Scale::kLinear) {
    axis.ticks = TicksBetween(lowest, highest, RoundStep(highest - lowest, kTicks));
  } else {
    const double last = std::floor(std::log2(highest) + 1e-9);
    for (double i = std::ceil(std::log2(lowest) - 1e-9); i <= last; ++i) {
      axis.ticks.push_back(std::exp2(i));
    }
  }
  return axis;
}

Axis AxisOver(std::vector<double> values, Scale scale) {
  constexpr std::size_t kFew = 12;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.empty()) values = {1};  // No point at all: an empty frame.
  Axis axis = AxisBetween(values.front(), values.back(), scale);
  if (values.size() <= kFew) {
    axis.ticks = std::move(values);
    return axis;
  }
  const bool are_whole = std::all_of(values.begin(), values.end(),
                                     [](double value) { return value == std::floor(value); });
  if (are_whole) {
    std::erase_if(axis.ticks, [](double tick) { return tick != std::floor(tick); });
  }
  return axis;
}

std::string TickLabel(double value) { return absl::StrFormat("%.6g", value); }

}  // namespace program
