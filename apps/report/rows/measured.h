// Figures of rows that were measured: their quartiles, and the dagger of a disturbed row.
//
// A program writes `KEY_q1` and `KEY_q3` beside a figure KEY of several repetitions, and
// `"disturbed":true` in a row by the rules of program/spread.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/program/plot.h"
#include "apps/report/input/input.h"

namespace report {

bool IsDisturbed(const Json& row);
program::Quality QualityOf(const Json& row);

// A value. How a row's number is shown: times `scale`, with so many digits after the point.
struct Format {
  int digits = 1;
  double scale = 1;
};

// "38.2", or "38.2 †".
std::string FigureOf(const Json& row, const std::string& key, const Format& format);
// "38.1 – 39.6"; "once" where there was one repetition; "" where the row does not say.
std::string QuartilesOf(const Json& row, const std::string& key, const Format& format);
// The same for a headline: "quartiles 38.1 – 39.6", "measured once" or "", and "† disturbed by
// other work".
std::string SpreadInWords(const Json& row, const std::string& key, const Format& format);
// From the lower quartile to the upper one, or to the figure itself where that is higher: a best.
std::optional<program::Whisker> WhiskerOf(const Json& row, const std::string& key, double scale);

// The row with the highest figure, of those that are not disturbed as long as there is one; null
// where there are no rows.
const Json* BestOf(const std::vector<Json>& rows, const std::string& key);
// What daggers mean, where one of these rows has one; else "". Plain text.
std::string FootnoteOf(const std::vector<Json>& rows);

}  // namespace report
