// Rows that say how many seconds something took by so many threads: which is the fastest, and how
// they depend on something.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/program/plot.h"
#include "apps/report/input/input.h"
#include "apps/report/rows/measured.h"

namespace report {

// Those whose member `key` is `value`, as text.
std::vector<Json> RowsWhere(const std::vector<Json>& rows, const std::string& key,
                            const std::string& value);

// By `seconds`; none where there are no rows.
std::optional<Json> FastestOf(const std::vector<Json>& rows);

// "1 thread", "8 threads".
std::string ThreadsOf(const Json& row);
// The largest number of threads; of at least one row.
std::string MostThreadsOf(const std::vector<Json>& rows);

// Seconds by what `x_of` says: a line for each value of `series`, and the same as a table: small
// times cannot be read off the lines. Where several rows are one point, the first is shown. `unit`
// is that of the plot's y axis and of `format`.
std::string LinesBy(const std::string& series, program::LinePlot plot,
                    const std::vector<Json>& rows, const std::function<double(const Json&)>& x_of,
                    const std::string& unit, const Format& format);

}  // namespace report
