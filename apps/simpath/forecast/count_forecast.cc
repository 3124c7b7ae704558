#include "apps/simpath/forecast/count_forecast.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/order/estimate.h"

namespace simpath {
namespace {

// A value: log(states) = at_zero + slope * log(estimate), by least squares.
struct Fit {
  double at_zero = 0, slope = 1;
  double factor = 1;  // the standard error of one level, as a factor

  double Of(double estimate) const { return std::exp(at_zero + slope * std::log(estimate)); }
};

// Narrow levels, with fewer states than the square root of the widest level, say little.
Fit FitTo(std::span<const LevelForecast> levels, const std::vector<double>& estimates) {
  double most = 0;
  for (const LevelForecast& level : levels) {
    most = std::max(most, static_cast<double>(level.states));
  }
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0, yy = 0;
  for (const LevelForecast& level : levels) {
    const auto states = static_cast<double>(level.states);
    if (states < std::sqrt(most)) continue;
    const double x = std::log(estimates[level.step]), y = std::log(states);
    ++n;
    x_sum += x;
    y_sum += y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  Fit fit;
  const double spread = n * xx - x_sum * x_sum;
  if (n < 3 || spread < 1e-6) return fit;
  fit.slope = (n * xy - x_sum * y_sum) / spread;
  fit.at_zero = (y_sum - fit.slope * x_sum) / n;
  const double squares = yy - fit.at_zero * y_sum - fit.slope * xy;
  fit.factor = std::exp(std::sqrt(std::max(0.0, squares) / (n - 2)));
  return fit;
}

}  // namespace

absl::StatusOr<CountForecast> ForecastCount(const Problem& problem, std::uint64_t most_states,
                                            const CountOptions& options) {
  const Plan plan = MakePlan(problem);
  absl::StatusOr<std::vector<LevelForecast>> exact = ForecastStates(plan, options, most_states);
  if (!exact.ok()) return exact.status();
  CountForecast forecast = {.levels = *std::move(exact)};
  std::vector<LevelForecast>& levels = forecast.levels;
  forecast.exact = levels.size();
  if (levels.size() == plan.stages.size() || levels.empty()) return forecast;
  const std::vector<double> estimates = EstimateEachStep(problem);
  const Fit fit = FitTo(levels, estimates);
  forecast.factor = fit.factor;
  // The bits of counts grow linearly.
  const LevelForecast last = levels.back();
  const double bits_a_step = last.count_bits / static_cast<double>(last.step + 1);
  const auto count_words = [](int bits) { return static_cast<double>((bits + 63) / 64); };
  const double words_before = 1 + count_words(last.count_bits);
  const double bytes_a_state =
      static_cast<double>(last.bytes) / std::max<double>(1, static_cast<double>(last.states));
  for (std::size_t i = levels.size(); i < plan.stages.size(); ++i) {
    const std::size_t step = plan.stages[i].last - 1;
    LevelForecast level = {.step = step, .width = plan.widths[step]};
    const bool is_end = i + 1 == plan.stages.size();
    level.states = is_end ? 0 : static_cast<std::size_t>(fit.Of(estimates[step]));
    level.count_bits = static_cast<int>(bits_a_step * static_cast<double>(step + 1)) + 1;
    level.bytes = static_cast<std::uint64_t>(static_cast<double>(level.states) * bytes_a_state *
                                             (1 + count_words(level.count_bits)) / words_before);
    levels.push_back(level);
  }
  return forecast;
}

}  // namespace simpath
