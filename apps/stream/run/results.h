// Reports of measurements: JSON rows, tables, the paper's figure 8.
#pragma once

#include <string>
#include <vector>

#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/stream/measure/measure.h"

namespace stream {

// Triad should be at least this much faster than plain, and reach this part of
// the limit.
inline constexpr double kGoalToPlain = 1.5;
inline constexpr double kGoalToLimit = 0.95;

// A row of results for --json.
program::Json ToJson(const Row& row);

// A table of all rows, Triad by policy and threads if there is more than one of
// either, and the two lines that compare Triad with its goals.
std::string ToText(const std::vector<Row>& rows, program::Color color);

// Figure 8: tuned Triad over threads, a line a policy, beside plain and limit.
// With one thread count: bars by kernel.
std::string ToSvg(const std::vector<Row>& rows);

}  // namespace stream
