// Reports of measurements: JSON rows, tables, the paper's figures.
#pragma once

#include <string>
#include <vector>

#include "apps/matmul/measure/measure.h"
#include "apps/program/record.h"
#include "apps/program/terminal.h"

namespace matmul {

// A row of results for --json.
program::Json ToJson(const Row& row);

// A table of all rows, figure 3 if there is more than one number of workers,
// figures 4, 5 and 7 (steals by depth) if anything was stolen, and the cost of
// steals: where simulated workers' time went, how much real ones lost.
std::string ToText(const std::vector<Row>& rows, program::Color color);

// Figure 3: speed over workers, a line a variant; bars with one number of workers.
std::string SpeedToSvg(const std::vector<Row>& rows);

// Figures 4, 5 and 7: steals by depth with the most workers.
std::string StealsToSvg(const std::vector<Row>& rows);

}  // namespace matmul
