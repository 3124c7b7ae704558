// Reports of simulated nodes: JSON rows, a table, the paper's figures 7 to 10. Virtual
// seconds never stand beside measured ones.
#pragma once

#include <string>
#include <vector>

#include "apps/program/record.h"
#include "apps/program/terminal.h"
#include "apps/stencil/run/results.h"
#include "apps/stencil/run/simulated_flags.h"
#include "apps/stencil/simulated/simulated.h"

namespace stencil {

// A row of results for --json, with "simulated" and "virtual_seconds".
program::Json ToJson(const SimulatedRow& row);

// The assumptions, as parameters of the JSON: assumed_latency_us and so on.
program::Json Assumptions(const NodeModel& model);

std::string ToText(const std::vector<SimulatedRow>& rows, program::Color color);

// Figure 7.
std::string SpeedByThreadsToSvg(const std::vector<SimulatedRow>& rows);
// Figures 8 (a), 9 (a), 10 (a), and (b): a line an algorithm.
std::string TimeByNodesToSvg(const std::vector<SimulatedRow>& rows);
std::string SpeedByNodesToSvg(const std::vector<SimulatedRow>& rows);
// Figures 8 and 9, (c) and (d): the parts of each row's time.
std::string SplitToSvg(const std::vector<SimulatedRow>& rows);

Outcome OutcomeOf(const std::vector<SimulatedRow>& rows, const Simulated& simulated,
                  const std::string& figure, const std::string& command);

}  // namespace stencil
