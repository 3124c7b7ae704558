// What is said of the rows: JSON, a table, and the paper's plots.
#pragma once

#include <string>
#include <vector>

#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/rma/problem/point.h"
#include "apps/rma/run/flags.h"

namespace rma {

program::Json ToJson(const Row& row);
// `pus`: of this machine; more threads than those take turns.
std::string ToText(const std::vector<Row>& rows, int pus, program::Color color);
// A line a series. Precondition: at most eight of them.
std::string ToSvg(const std::vector<Row>& rows, Figure figure);

}  // namespace rma
