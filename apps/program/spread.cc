#include "apps/program/spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_format.h"

namespace program {
namespace {

// The value below which `share` of the sorted values lie.
double Quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

}  // namespace

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {Quantile(values, 0.25), Quantile(values, 0.5), Quantile(values, 0.75)};
}

double Median(std::vector<double> values) { return SpreadOf(std::move(values)).median; }

std::size_t MiddleOf(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order[order.size() / 2];
}

Spread SpeedsOf(double amount, const std::vector<double>& seconds) {
  std::vector<double> speeds;
  for (const double each : seconds) speeds.push_back(amount / each);
  return SpreadOf(std::move(speeds));
}

Spread RatiosOf(const std::vector<double>& theirs, const std::vector<double>& ours) {
  std::vector<double> ratios(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) ratios[i] = theirs[i] / ours[i];
  return SpreadOf(std::move(ratios));
}

bool IsDisturbed(const Spread& spread) {
  return spread.q3 - spread.q1 > kMostQuartileDistance * std::abs(spread.median);
}

bool IsDisturbed(const Spread& spread, double best) {
  return IsDisturbed(spread) || best - spread.q3 > kMostQuartileDistance * std::abs(spread.median);
}

bool Disagree(double ratio, double ratio_of_figures) {
  return ratio > ratio_of_figures * kMostDisagreement ||
         ratio_of_figures > ratio * kMostDisagreement;
}

std::string ToText(const Spread& spread, int digits) {
  return absl::StrFormat("%.*f – %.*f", digits, spread.q1, digits, spread.q3);
}

}  // namespace program
