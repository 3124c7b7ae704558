// What the repetitions of a measurement say of the figure that is shown: its quartiles, and the
// rule by which a figure counts as disturbed. Pure.
//
// A program writes for a figure `gb_per_s` of several repetitions the quartiles `gb_per_s_q1` and
// `gb_per_s_q3` beside it, and `"disturbed"` in the row. Reports mark such a row and name no figure
// of it without saying so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace program {

// A value. All of one unit.
struct Spread {
  double q1 = 0;
  double median = 0;
  double q3 = 0;
};

// Quartiles between two values are taken linearly. Precondition: there is a value.
Spread SpreadOf(std::vector<double> values);
double Median(std::vector<double> values);

// The index of the value in the middle, of the two the larger: the repetition whose other figures
// (parts of the time, counts) stand for all. Precondition: there is a value.
std::size_t MiddleOf(const std::vector<double>& values);

// The speeds of times: Spread{q1, median, q3} of amount / seconds.
Spread SpeedsOf(double amount, const std::vector<double>& seconds);

// Of each repetition's ratio, so that a slow moment of the machine hits both: theirs[i] / ours[i].
// Precondition: as many of both.
Spread RatiosOf(const std::vector<double>& theirs, const std::vector<double>& ours);

// Half of the repetitions lie between the quartiles. Where these are further apart than this share
// of the median, other work of the machine had more say than the code that was measured.
constexpr double kMostQuartileDistance = 0.25;
bool IsDisturbed(const Spread& spread);
// The same where the figure is the best of the repetitions: it is disturbed, too, where it is
// further than that share of the median from the upper quartile, so that few repetitions were like
// it.
bool IsDisturbed(const Spread& spread, double best);

// A ratio is the median of ratios taken within a repetition. Where it differs by more than this
// factor from the ratio of the two figures that stand in the rows, repetitions of different moments
// made the figures, and neither is to be quoted.
constexpr double kMostDisagreement = 1.25;
bool Disagree(double ratio, double ratio_of_figures);

// "38.1 – 39.6".
std::string ToText(const Spread& spread, int digits);

// What a table with daggers says below itself.
constexpr std::string_view kDagger = "†";
constexpr std::string_view kFootnote =
    "† disturbed by other work: the quartiles of its repetitions are more than a quarter of the "
    "median apart, its best is as far from them, or its paired ratio is not that of its figures.";

}  // namespace program
